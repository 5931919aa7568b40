// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that needs no GPU library and no Beast.

#include <kernix/backend/cxx.hpp>
#include <kernix/backend/nvcc.hpp>
#include <kernix/kernel_cache.hpp>
#include <kernix/version.hpp>
#include <kernix/with_diagnostics.hpp>

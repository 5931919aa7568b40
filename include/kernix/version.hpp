// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of these headers; the build reads it from here.
#define KERNIX_VERSION_MAJOR 0
#define KERNIX_VERSION_MINOR 1
#define KERNIX_VERSION_PATCH 0

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The library's version, as in semantic versioning.
#define KERNIX_VERSION_MAJOR 0
#define KERNIX_VERSION_MINOR 1
#define KERNIX_VERSION_PATCH 0
#define KERNIX_VERSION_STRING "0.1.0"

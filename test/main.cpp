// SPDX-License-Identifier: Apache-2.0
// The one entry point of every test executable: Boost.Test's own machinery is compiled here or comes from its library.

#define BOOST_TEST_MODULE kernix
#include <boost/test/unit_test.hpp>

// SPDX-License-Identifier: Apache-2.0
__global__ void scale_kernel(float a, float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}

/// Multiplies n floats in the GPU's memory.
extern "C" void scale(float a, float* x, int n) { scale_kernel<<<(n + 255) / 256, 256>>>(a, x, n); }

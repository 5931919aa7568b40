// SPDX-License-Identifier: Apache-2.0
__global__ void block_sum_kernel(float const* x, float* sums, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

/// The sum of each 256 floats, all in the GPU's memory.
extern "C" void block_sum(float const* x, float* sums, int n) { block_sum_kernel<<<(n + 255) / 256, 256>>>(x, sums, n); }

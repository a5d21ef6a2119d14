// A kernel that stays on the device and takes batches from a ring in host memory, so that a batch
// costs no launch (Schramm's thesis, §3.2). The first block watches the ring and tells the others
// of new entries through device memory; each of the others takes its part of every batch; the last
// one to end its part tells the host. It leaves when the host asks for it, after a while without a
// batch, and after a fixed time even if batches come, so that whoever else waits for the device gets
// it. The engine's
// ResidentKernel is the other side; RingLayout has the words of ring and control.
#pragma once

#include "words.cuh"

namespace sluice {

__device__ __forceinline__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__device__ __forceinline__ void tell(volatile uint32_t* control, uint32_t head, uint32_t leave) {
    *(volatile unsigned long long*) control = (unsigned long long) leave << 32 | head;
}

// One warp.
__device__ __forceinline__ void watch(
        volatile uint32_t* ring, volatile uint32_t* control, uint32_t start) {
    uint32_t lane = threadIdx.x;
    uint32_t told = start;
    unsigned long long came = nanoseconds();
    unsigned long long idle = came;
    unsigned long long most_idle = 1000ull * ring[RingLayout::IDLE_MICROS];
    unsigned long long most_stay = 1000ull * ring[RingLayout::STAY_MICROS];
    for (;;) {
        uint32_t stop = ring[RingLayout::STOP];
        uint32_t head = ring[RingLayout::HEAD];
        head = __shfl_sync(0xffffffffu, head, 0);
        stop = __shfl_sync(0xffffffffu, stop, 0);
        unsigned long long now = __shfl_sync(0xffffffffu, nanoseconds(), 0);
        if (head != told && now - came < most_stay) {
            __threadfence_system();
            for (; told != head; told++) {
                if (lane < RingLayout::ENTRY_WORDS) {
                    uint32_t at = RingLayout::ENTRY_WORDS * (told % RingLayout::ENTRIES) + lane;
                    control[RingLayout::CONTROL_ENTRY + at] = ring[RingLayout::ENTRY + at];
                }
            }
            __threadfence();
            __syncwarp();
            if (lane == 0) {
                tell(control, told, 0);
            }
            idle = now;
        } else if (stop != 0 || now - idle > most_idle || now - came >= most_stay) {
            if (lane == 0) {
                tell(control, told, 1);
            }
            return;
        }
    }
}

// The address that two words of an entry hold.
__device__ __forceinline__ unsigned long long address(volatile uint32_t* words) {
    return (unsigned long long) words[1] << 32 | words[0];
}

template <class Answer>
__device__ __forceinline__ void work(
        Answer answer, volatile uint32_t* ring, volatile uint32_t* control, uint32_t start) {
    __shared__ uint32_t told;
    __shared__ uint32_t leaving;
    uint32_t workers = gridDim.x - 1;
    for (uint32_t next = start;;) {
        if (threadIdx.x == 0) {
            unsigned long long word;
            do {
                word = *(volatile unsigned long long*) control;
            } while ((uint32_t) word == next && word >> 32 == 0);
            told = (uint32_t) word;
            leaving = (uint32_t) (word >> 32);
            __threadfence();
        }
        __syncthreads();
        uint32_t head = told;
        uint32_t leave = leaving;
        for (; next != head; next++) {
            uint32_t slot = next % RingLayout::ENTRIES;
            volatile uint32_t* entry =
                    control + RingLayout::CONTROL_ENTRY + RingLayout::ENTRY_WORDS * slot;
            // Volatile: the buffers are filled again while the kernel stays.
            auto headers = (const volatile uint32_t*) address(entry + RingLayout::HEADERS);
            auto verdicts = (volatile uint32_t*) address(entry + RingLayout::VERDICTS);
            uint32_t stride = entry[RingLayout::STRIDE];
            uint32_t count = entry[RingLayout::COUNT];
            for (uint32_t i = (blockIdx.x - 1) * blockDim.x + threadIdx.x; i < count;
                    i += workers * blockDim.x) {
                verdicts[i] = answer(headers, stride, i);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence_system();
                uint32_t* ended = (uint32_t*) control + RingLayout::CONTROL_ENDED + slot;
                if (atomicAdd(ended, 1) == workers - 1) {
                    control[RingLayout::CONTROL_ENDED + slot] = 0;
                    __threadfence_system();
                    ring[RingLayout::DONE + slot] = next + 1;
                }
            }
        }
        __syncthreads();
        if (leave != 0) {
            return;
        }
    }
}

template <class Answer>
__device__ __forceinline__ void reside(
        Answer answer, uint32_t* ring, uint32_t* control, uint32_t start) {
    if (blockIdx.x != 0) {
        work(answer, ring, control, start);
    } else if (threadIdx.x < 32) {
        watch(ring, control, start);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(control + RingLayout::CONTROL_EXITS, 1) == gridDim.x - 1) {
            volatile uint32_t* out = ring;
            volatile uint32_t* own = control;
            own[RingLayout::CONTROL_EXITS] = 0;
            own[RingLayout::CONTROL_LEAVE] = 0;
            out[RingLayout::LEFT_AT] = own[RingLayout::CONTROL_HEAD];
            __threadfence_system();
            out[RingLayout::LEFT] = out[RingLayout::RESIDENCY];
        }
    }
}

}  // namespace sluice

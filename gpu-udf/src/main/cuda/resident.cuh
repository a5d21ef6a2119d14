// A kernel that stays on the device and takes batches from a ring in host memory, so that a batch
// costs no launch (Schramm's thesis, §3.2). The first block watches the ring and tells the others
// of new entries through device memory; each of the others takes its part of every batch; the last
// one to end its part tells the host. It leaves when the host asks for it, after a while without a
// batch, and after a while at all, so that whoever else waits for the device gets it. GpuDevice's
// ResidentKernel is the other side.
#pragma once

#include "words.cuh"

namespace sluice {

constexpr uint32_t RING_ENTRIES = 64;
constexpr uint32_t ENTRY_WORDS = 8;

// Words of the ring that the host writes, that the device writes, and of the entries.
constexpr uint32_t RING_HEAD = 0;
constexpr uint32_t RING_STOP = 1;
constexpr uint32_t RING_IDLE_MICROS = 2;
constexpr uint32_t RING_STAY_MICROS = 3;
constexpr uint32_t RING_RESIDENCY = 4;
constexpr uint32_t RING_LEFT = 32;
constexpr uint32_t RING_LEFT_AT = 33;
constexpr uint32_t RING_DONE = 64;
constexpr uint32_t RING_ENTRY = RING_DONE + RING_ENTRIES;

// Words of the control in device memory: the number of entries told, whether to leave behind it
// (both in one store), blocks that have left, blocks that have ended an entry, and the entries.
constexpr uint32_t CONTROL_LEAVE = 1;
constexpr uint32_t CONTROL_EXITS = 2;
constexpr uint32_t CONTROL_ENDED = RING_DONE;
constexpr uint32_t CONTROL_ENTRY = RING_ENTRY;

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
    unsigned long long most_idle = 1000ull * ring[RING_IDLE_MICROS];
    unsigned long long most_stay = 1000ull * ring[RING_STAY_MICROS];
    for (;;) {
        uint32_t stop = ring[RING_STOP];
        uint32_t head = ring[RING_HEAD];
        head = __shfl_sync(0xffffffffu, head, 0);
        stop = __shfl_sync(0xffffffffu, stop, 0);
        unsigned long long now = __shfl_sync(0xffffffffu, nanoseconds(), 0);
        if (head != told && now - came < most_stay) {
            __threadfence_system();
            for (; told != head; told++) {
                if (lane < ENTRY_WORDS) {
                    uint32_t at = ENTRY_WORDS * (told % RING_ENTRIES) + lane;
                    control[CONTROL_ENTRY + at] = ring[RING_ENTRY + at];
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
            uint32_t slot = next % RING_ENTRIES;
            volatile uint32_t* entry = control + CONTROL_ENTRY + ENTRY_WORDS * slot;
            // Volatile: the buffers are filled again while the kernel stays.
            auto headers = (const volatile uint32_t*) ((unsigned long long) entry[1] << 32 | entry[0]);
            auto verdicts = (volatile uint32_t*) ((unsigned long long) entry[3] << 32 | entry[2]);
            uint32_t stride = entry[4];
            uint32_t count = entry[5];
            for (uint32_t i = (blockIdx.x - 1) * blockDim.x + threadIdx.x; i < count;
                    i += workers * blockDim.x) {
                verdicts[i] = answer(headers, stride, i);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence_system();
                if (atomicAdd((uint32_t*) control + CONTROL_ENDED + slot, 1) == workers - 1) {
                    control[CONTROL_ENDED + slot] = 0;
                    __threadfence_system();
                    ring[RING_DONE + slot] = next + 1;
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
        if (atomicAdd(control + CONTROL_EXITS, 1) == gridDim.x - 1) {
            volatile uint32_t* out = ring;
            volatile uint32_t* of = control;
            of[CONTROL_EXITS] = 0;
            of[CONTROL_LEAVE] = 0;
            out[RING_LEFT_AT] = of[0];
            __threadfence_system();
            out[RING_LEFT] = out[RING_RESIDENCY];
        }
    }
}

}  // namespace sluice

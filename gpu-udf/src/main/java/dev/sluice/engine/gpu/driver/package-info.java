/**
 * Calls of the engine to the CUDA driver, and the driver through JCuda.
 *
 * <p>{@link dev.sluice.engine.gpu.driver.GpuDriver} is the whole surface: devices, memory, streams,
 * events and launches. The rest of the engine sees no class of JCuda: tests run it with a driver
 * whose device is the heap, or that fails at a call of their choice.
 *
 * <pre>
 *  JCudaGpuDriver ── NativeLibrary     loads JCuda's library once a class loader
 *        │
 *        └─ CudaContext                a device that is open: memory, copies, streams, events
 *              ├─ CudaMemory           pinned memory and pointers
 *              ├─ CudaHandles          JCuda's handles of streams and events
 *              ├─ KernelModule         compiled kernels (PTX), found by name and launched
 *              └─ LaunchArguments      what a launch is called with, outside the heap
 * </pre>
 *
 * <p>Threads: every method may be called from any thread, since each call makes the device's
 * context current first. Failures: a call that the driver refuses throws {@link
 * dev.sluice.engine.gpu.driver.GpuException} with the driver's code and, where there is one, a
 * remedy. CUDA reports errors of a kernel late: any later call on the same context may be the one
 * that throws, and a context that met such an error answers every call with it until it is
 * destroyed.
 */
@NullMarked
package dev.sluice.engine.gpu.driver;

import org.jspecify.annotations.NullMarked;

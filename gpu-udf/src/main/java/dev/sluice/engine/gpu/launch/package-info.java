/**
 * Launching: how batches reach a kernel and verdicts the host.
 *
 * <pre>
 *  OffloadMode      how: launch mode, transfer, streams, batches that share a launch
 *  KernelCatalog    which kernels read an image, and the grid that they are launched with
 *  BatchLauncher    a staging buffer's copy in, kernel, copy out, and waiting for them
 *  LaunchCoalescer  batches of several instances in one launch
 *  Residents        the kernels that stay on a device; ResidentKernel is one of them
 * </pre>
 *
 * <p>Threads: a batch holds a staging buffer from its launch to its verdicts, and whatever is kept
 * for a buffer belongs to that batch alone. A launch takes no lock but the driver's own; batches
 * for kernels that stay share one lock a device, for the moment in which an entry is written to the
 * ring. Failures come as {@link dev.sluice.engine.gpu.driver.GpuException} from the launch or from
 * waiting for it, and the staging buffer is given back in both cases.
 */
@NullMarked
package dev.sluice.engine.gpu.launch;

import org.jspecify.annotations.NullMarked;

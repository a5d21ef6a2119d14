/**
 * The same look-ups on NVIDIA GPUs, through the CUDA driver API.
 *
 * <pre>
 *  batch ─▶ pinned buffer of a slot ─▶ copy in ─▶ kernel ─▶ copy out ─▶ verdicts
 *           (bounded pool)             \______ the slot's stream ______/
 *  image ─▶ one copy a device and process, counted by its users
 * </pre>
 *
 * <p>The kernels read the images that the compilers of the other packages write; each look-up
 * function is compiled for the host as well, where tests run it. Whatever fails on a device is
 * classified again on the CPU, and the device is tried again later.
 */
@NullMarked
package dev.sluice.engine.gpu;

import org.jspecify.annotations.NullMarked;

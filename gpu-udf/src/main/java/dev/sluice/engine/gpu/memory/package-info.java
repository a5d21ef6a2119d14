/**
 * Memory of a device: what is taken, who shares it, and who waits for whom.
 *
 * <pre>
 *  DeviceContext    the device that is open: fails, is given up, is opened anew (epochs)
 *  DeviceMemory     all that is taken there
 *    ├─ StagingPool     staging buffers: pinned words, device words and a stream of a batch
 *    ├─ DeviceImages    sealed images, one copy of each, counted by its users
 *    └─ (bytes)         of rules that change
 *  DeviceChanges    the device's copy of what changed since an image was compiled
 *  Residency        what memory has to know of kernels that stay on the device
 * </pre>
 *
 * <p><b>Who waits for whom.</b> A batch takes a staging buffer and gives it back: it meets the
 * pool's lock and no other here, unless it finds every buffer taken and the pool makes one more. It
 * never waits for an image: an image is compared and copied while its entry says 'uploading', under
 * no lock that a batch takes, and only who wants that very image waits for the copy. Memory is
 * taken and freed while kernels that stay are away, since the driver may wait for all kernels in
 * such calls; a batch for a kernel that stays waits for that, but not for the copy that follows.
 *
 * <p><b>Order of locks</b>, outermost first:
 *
 * <ol>
 *   <li>the lifetime of the {@link dev.sluice.engine.gpu.memory.DeviceContext}: shared by uploads,
 *       changes and frees, exclusive for opening the device anew and for closing it;
 *   <li>{@link dev.sluice.engine.gpu.memory.Residency#suspend}: kernels that stay are away;
 *   <li>the list of {@link dev.sluice.engine.gpu.memory.DeviceImages}, or the pool of {@link
 *       dev.sluice.engine.gpu.memory.StagingPool}: no other lock is taken under these two.
 * </ol>
 *
 * <p>Who holds a staging buffer may take the second lock, and never waits for the first one: the
 * device is opened anew only when all buffers are back, and who opens it waits for the first lock.
 * A pool that grows takes the first lock only where that is free at once.
 *
 * <p><b>Epochs.</b> An address belongs to the epoch of the context in which it was taken. When the
 * device is opened anew all earlier addresses are gone: sealed images are copied again by who opens
 * it, changes by the next batch that needs them, and nothing of an earlier epoch is freed.
 */
@NullMarked
package dev.sluice.engine.gpu.memory;

import org.jspecify.annotations.NullMarked;

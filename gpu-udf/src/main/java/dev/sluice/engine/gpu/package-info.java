/**
 * The engine's look-ups on NVIDIA GPUs: what goes to a device, and when.
 *
 * <pre>
 *  engine.gpu          policy: devices of the process, who may use them, from which batch size on,
 *    │                 what happens when one fails
 *    ├─ .launch        how a batch reaches a kernel and verdicts the host
 *    ├─ .memory        what lies on a device, who shares it, who waits for whom
 *    └─ .driver        the CUDA driver through JCuda, behind an interface
 * </pre>
 *
 * <p>A package uses those below it only. Each has a text of its own.
 *
 * <h2>What</h2>
 *
 * <p>A {@link dev.sluice.engine.gpu.GpuClassifier} classifies batches against a sealed image and
 * what changed since. Kernels read the very words that the compilers of the other packages write:
 * there is no second format. Each kernel's look-up is one function that is compiled for the host as
 * well, where tests hold it to the oracle without a GPU.
 *
 * <h2>Goal</h2>
 *
 * <p>Answers that are right whatever the device does, first. Then: a batch shall cost the host as
 * little as moving its words does, small batches shall not go where they are slower, and no
 * operator instance shall wait for another one's rules.
 *
 * <h2>The naive way</h2>
 *
 * <p>For each batch: allocate memory on the device, copy the headers in, launch, wait, copy the
 * verdicts out, free the memory. It is right and an order of magnitude too slow: taking memory
 * waits for the whole device, a copy from the heap is staged by the driver, and while the host
 * waits the device is idle, and the other way round.
 *
 * <h2>What is done instead, and what each step costs</h2>
 *
 * <ul>
 *   <li><b>Staging buffers</b> ({@link dev.sluice.engine.gpu.memory.StagingBuffer}): pinned memory,
 *       device memory and a stream are made once and used again. Pinned memory is taken from the
 *       machine for good, so their number grows only while batches find all of them taken, and is
 *       bounded: a batch beyond the bound waits, or lets the CPU answer. A thread that has batches
 *       under way reads their verdicts first, and batches that only fill have half of the buffers
 *       at most, so that no threads wait for one another.
 *   <li><b>Headers written where the device reads them</b> ({@link
 *       dev.sluice.engine.gpu.StagedBatch}): a caller that knows the batch's size ahead writes to
 *       the pinned memory itself. The buffer is taken for as long as the batch fills, and where the
 *       CPU has to answer the headers are copied back to the heap.
 *   <li><b>Several batches under way, several streams</b>: copies of one batch run beside the
 *       kernel of another. Batches of more streams end out of order, and where fewer streams than
 *       buffers are used each batch needs an event.
 *   <li><b>Mapped memory</b> ({@link dev.sluice.engine.gpu.launch.Transfer#MAPPED}): the kernel
 *       reads and writes pinned memory over the bus. It saves both copies, and with them most of
 *       what a small batch costs; each word crosses the bus when it is read, so a kernel that reads
 *       headers twice pays twice.
 *   <li><b>Prepared launches</b> ({@link dev.sluice.engine.gpu.launch.BatchLauncher}): the kernel
 *       is looked up once for each staging buffer and kept. What is kept belongs to an image, its
 *       address and the opening of the device, and is compared before each launch.
 *   <li><b>Arguments outside the heap</b> ({@link dev.sluice.engine.gpu.driver}): JCuda takes Java
 *       arrays of arguments apart at every launch; it is given one address instead, which halves a
 *       launch. All launches of a device share these bytes, so they are queued one at a time.
 *   <li><b>Nothing made for a batch</b> ({@link dev.sluice.engine.lookup.Spares}): what stands for
 *       a batch under way serves another one when its verdicts are there. So each is awaited once,
 *       and who awaits one twice may meet another's batch.
 *   <li><b>Launches that several batches share</b> ({@link
 *       dev.sluice.engine.gpu.launch.LaunchCoalescer}): operator instances with small batches fill
 *       a launch together. A batch may wait for another's launch to end, and one failure is a
 *       failure of all; who waits for an answer launches at once, so that nothing waits for batches
 *       that do not come.
 *   <li><b>Kernels that stay</b> ({@link dev.sluice.engine.gpu.launch.Residents}): no launch at
 *       all, a batch is an entry of a ring that a kernel watches. It occupies the device, has to
 *       leave before memory is taken or freed, and reads the ring over the bus: on the devices that
 *       were measured an asynchronous launch is no slower.
 *   <li><b>One copy of an image</b> ({@link dev.sluice.engine.gpu.memory.DeviceImages}): instances
 *       of one process share it. Images have to be compared word by word when they come, outside
 *       all locks that batches take.
 *   <li><b>Versions in one look-up</b> ({@link dev.sluice.engine.gpu.memory.DeviceChanges}): what
 *       changed since an image was compiled lies beside it, in words that any version may look into
 *       while they are written. A second kernel behind the image's looks there at its version's
 *       tick, so batches of different versions do not wait for each other, and a change costs the
 *       words that it wrote. Versions without changes take the image's kernel alone; those with
 *       changes take a launch each, since a kernel that stays, and a launch that several batches
 *       share, look into the image only.
 *   <li><b>Measured, not assumed</b> ({@link dev.sluice.engine.gpu.Crossover}): which of these pay
 *       depends on bus, device and rule set, so about 0.3 s are spent on trying them and on finding
 *       the batch size from which on the device is faster than the CPU. It is measured once for
 *       images of about one size, alone on the device as far as this process knows; other load is
 *       not foreseen.
 * </ul>
 *
 * <h2>Threads</h2>
 *
 * <p>Everything is thread-safe but where it says otherwise. A batch belongs to the thread that
 * works on it; it may be awaited by another one. A batch waits for a staging buffer, for its own
 * verdicts, and for nothing else: not for an image that another instance compares or copies. Two
 * exceptions: a batch for a kernel that stays waits while memory is taken or freed, and a batch
 * that is sent to a device which is being opened anew waits for that, unless the CPU helps. The
 * order of locks stands in {@link dev.sluice.engine.gpu.memory}.
 *
 * <h2>Failures</h2>
 *
 * <p>CUDA reports what went wrong late and on any call, and a context that met an error is lost. So
 * a failure of any batch marks the device as failed for all. The batch is classified again on the
 * CPU, from headers that are kept for that; the classifier leaves the device alone for a second,
 * then for twice as long each time, up to a minute ({@link dev.sluice.engine.gpu.Health}). The
 * batch that tries again first opens the device anew: when all batches of before have ended, the
 * context is given up, another one is opened, and sealed images are copied there from the host;
 * changes are sent anew by the next batch that looks there. Users see a log line when that begins
 * and ends, a metric, and no exception. Without driver, device or room for the image the CPU
 * classifies from the start; only a device that was asked for by its number must be there.
 */
@NullMarked
package dev.sluice.engine.gpu;

import org.jspecify.annotations.NullMarked;

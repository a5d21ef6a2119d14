package dev.sluice.lab.inplace;

import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.BatchLauncher;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.tuplespace.RuleLog;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules that change in place on a device. The device mirrors each of the two copies that {@link
 * InPlaceClassifier} keeps. A delta goes to the host's idle copy, which is published; the first
 * batch after that brings the mirror of that copy up to date, by the lines of memory that changed,
 * and looks there. A batch holds its version until it lands, so that nothing is written under it,
 * and its verdicts, which are slots, are turned into ids by the same version.
 *
 * <p>Thread-safe. A thread that applies deltas waits for batches of the version before the last: it
 * must not be the one that has them under way.
 */
public final class GpuInPlaceClassifier implements AutoCloseable {
    private final GpuDevice device;
    private final BatchLauncher launcher;
    private final InPlaceClassifier live;
    private final String kernel;

    /** The device's copies; guarded by this. More than two only until old ones are dropped. */
    private final List<DeviceMirror> mirrors = new ArrayList<>();

    private boolean timed;
    private boolean ruleByRule;
    private long updateNanos;

    /**
     * A classifier.
     *
     * @param live rules that change in place in one memory
     * @throws UnsupportedOperationException if they do not
     * @throws GpuException if the device has no room for them
     */
    public GpuInPlaceClassifier(GpuDevice device, InPlaceClassifier live) {
        this.device = device;
        this.launcher = device.launcher();
        this.live = live;
        try (InPlaceClassifier.Lease lease = live.lease()) {
            this.kernel = KernelCatalog.live(lease.algorithm());
            upToDate(lease);
        }
    }

    /**
     * Lets rules travel to the device, where kernels take them in or out, instead of the lines of
     * memory that they change. Changes that rearrange the structure, as when a table grows, still
     * travel as lines.
     *
     * @throws UnsupportedOperationException if the algorithm has no such kernels: only hash-tree
     *     has
     */
    public synchronized void ruleByRule() {
        try (InPlaceClassifier.Lease lease = live.lease()) {
            if (lease.log() == null) {
                throw new UnsupportedOperationException(
                        lease.algorithm().label()
                                + " has no kernels that take rules in or out: hash-tree has");
            }
        }
        ruleByRule = true;
        close(); // both copies begin anew, with a log
    }

    /**
     * Starts on a batch in the version in force. Several may be under way.
     *
     * @param batch not to be changed before the verdicts are there
     * @param verdicts gets the rules' {@link VerdictBatch#ids} when the verdicts are there
     * @throws dev.sluice.engine.lookup.LayoutMismatchException if the batch was built for another
     *     layout
     * @throws GpuException if the device fails; await throws it, too
     */
    public PendingVerdicts submit(HeaderBatch batch, VerdictBatch verdicts) {
        Classifier.check(live.layout(), batch, verdicts);
        InPlaceClassifier.Lease lease = live.lease();
        DeviceImage image;
        StagingBuffer last;
        int most = device.memory().staging().headers(batch.layout().size());
        int from = 0;
        try {
            image = upToDate(lease);
            for (; batch.size() - from > most; from += most) {
                StagingBuffer full = launch(image, batch, from, most);
                launcher.land(full, verdicts, from, most);
            }
            last = launch(image, batch, from, batch.size() - from);
        } catch (GpuException e) {
            lease.close();
            throw e;
        }
        int start = from;
        return () -> await(lease, last, verdicts, start, batch.size());
    }

    private StagingBuffer launch(DeviceImage image, HeaderBatch batch, int from, int count) {
        return launcher.launch(image, kernel, OffloadMode.PLAIN, null, batch, from, count);
    }

    private synchronized DeviceImage upToDate(InPlaceClassifier.Lease lease) {
        DeviceMirror mirror = mirrorOf(lease);
        if (mirror.behind()) {
            long start = System.nanoTime();
            mirror.update(timed);
            updateNanos += System.nanoTime() - start;
        }
        return mirror.image();
    }

    @SuppressWarnings("ReferenceEquality") // the very copy, whatever it holds
    private DeviceMirror mirrorOf(InPlaceClassifier.Lease lease) {
        MutableImage copy = lease.memory();
        for (DeviceMirror there : mirrors) {
            if (there.source() == copy) {
                return there;
            }
        }
        RuleLog log = ruleByRule ? lease.log() : null;
        DeviceMirror fresh =
                new DeviceMirror(
                        device.memory(), copy, live.layout(), lease.algorithm().code(), log);
        mirrors.add(fresh);
        while (mirrors.size() > 2) {
            // The oldest mirrors a copy that was replaced when the rules were built anew. A batch
            // that may still look there ends first: freeing waits for the kernels of the device.
            mirrors.remove(0).close();
        }
        return fresh;
    }

    private void await(
            InPlaceClassifier.Lease lease,
            StagingBuffer buffer,
            VerdictBatch verdicts,
            int from,
            int size) {
        try (lease) {
            launcher.land(buffer, verdicts, from, size - from);
            long[] ids = verdicts.ids();
            int[] slots = verdicts.rules();
            for (int i = 0; i < size; i++) {
                if (slots[i] >= 0) {
                    ids[i] = lease.idOf(slots[i]);
                }
            }
        }
    }

    /** Looks a batch up in the version in force, as {@link #submit}. */
    public void classify(HeaderBatch batch, VerdictBatch verdicts) {
        submit(batch, verdicts).await();
    }

    /** Changes the rules, as {@link InPlaceClassifier#apply}. */
    public void apply(RuleDelta delta) {
        live.apply(delta);
    }

    /** Bytes of the device's copies, room for growth included. */
    public synchronized long deviceBytes() {
        return mirrors.stream().mapToLong(DeviceMirror::bytes).sum();
    }

    /** Lines of memory that were written in place on the device. */
    public synchronized long patchedLines() {
        return mirrors.stream().mapToLong(DeviceMirror::patchedLines).sum();
    }

    /** Rules that the device's own kernels took in or out. */
    public synchronized long repeatedRules() {
        return mirrors.stream().mapToLong(DeviceMirror::repeatedRules).sum();
    }

    /** Nanoseconds in which the device's copies were brought up to date. */
    public synchronized long updateNanos() {
        return updateNanos;
    }

    /** Whether the kernel that writes lines is measured, which costs some µs an update. */
    public synchronized void timed(boolean measured) {
        timed = measured;
    }

    /** µs of the kernel that writes lines, while it was measured. */
    public synchronized double patchMicros() {
        return 1e3 * mirrors.stream().mapToDouble(DeviceMirror::patchMillis).sum();
    }

    /** How often a whole copy went to the device. */
    synchronized long wholeCopies() {
        return mirrors.stream().mapToLong(DeviceMirror::wholes).sum();
    }

    /** Gives the device's memory back; no batch may be under way. */
    @Override
    public synchronized void close() {
        mirrors.forEach(DeviceMirror::close);
        mirrors.clear();
    }
}

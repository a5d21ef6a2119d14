package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.launch.LaunchCoalescer;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.Spares;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * A batch that is on its way to a device and back. It ends with the verdicts, whatever happens, and
 * serves another batch then. Belongs to one batch at a time; may go from thread to thread.
 */
final class Flight implements PendingVerdicts {
    private static final long NOT = -1;

    private final OffloadPath path;
    private final Spares<Flight> spares;

    /** Changes behind the base, as its launch takes them. */
    private final Changes changes;

    /** Place of the batch, if it shares a launch. */
    private final LaunchCoalescer.Place place = new LaunchCoalescer.Place();

    private @Nullable VersionLookUp version;
    private @Nullable HeaderBatch batch;
    private @Nullable VerdictBatch verdicts;

    /** Buffer of the last part, if it has a launch of its own; null: in a shared one. */
    private @Nullable StagingBuffer buffer;

    private int from;
    private long began;

    /**
     * Time that the batch's thread spent on the launch, if the device was busy; else {@link #NOT}.
     */
    private long waited = NOT;

    /** A flight that goes back to the spare ones when its batch has its verdicts. */
    Flight(OffloadPath path, Changes changes, Spares<Flight> spares) {
        this.path = path;
        this.spares = spares;
        this.changes = changes;
    }

    Changes changes() {
        return changes;
    }

    LaunchCoalescer.Place place() {
        return place;
    }

    /**
     * The batch is under way.
     *
     * @param last where its last part is; null: {@link #place} tells
     * @param start first header of that part
     * @param now when it was launched
     */
    void begin(
            VersionLookUp under,
            HeaderBatch headers,
            VerdictBatch into,
            @Nullable StagingBuffer last,
            int start,
            long now) {
        version = under;
        batch = headers;
        verdicts = into;
        buffer = last;
        from = start;
        began = now;
    }

    /** The batch found the device busy, and its thread gave so long until it was launched. */
    void waited(long nanos) {
        waited = nanos;
    }

    @Override
    public void await() {
        VersionLookUp under = version;
        HeaderBatch headers = batch;
        VerdictBatch into = verdicts;
        StagingBuffer last = buffer;
        if (under == null || headers == null || into == null) {
            throw new IllegalStateException("the verdicts on this batch were awaited before");
        }
        version = null;
        batch = null;
        verdicts = null;
        buffer = null;
        long gave = waited;
        waited = NOT;
        long landing = gave == NOT ? 0 : path.health.now();
        try {
            if (last == null) {
                if (!path.coalescer.await(place, into.rules(), headers.size())) {
                    path.helped(under, headers, into);
                    spares.give(this);
                    return;
                }
            } else {
                path.launcher.land(last, into, from, headers.size() - from);
            }
            path.classified(headers.size());
            if (gave != NOT) {
                long now = path.health.now();
                path.help.deviceTook(gave + now - landing, now);
            }
        } catch (GpuException e) {
            path.again(e, under, headers, into);
        }
        path.took(began);
        spares.give(this);
    }
}

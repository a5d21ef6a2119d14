package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.rules.history.PacketTimes;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.operators.rules.history.VersionRun;
import dev.sluice.operators.rules.serving.SharedTimeline;
import dev.sluice.operators.rules.serving.VersionEngines;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says for each packet of a block which version judges it, and how: by the packet's time, those of
 * its flow shard before it, and the rule history alone.
 *
 * <p>Used by the mailbox thread. Where a version has to be compiled first, that thread runs mails
 * until it is.
 */
final class EventRules {
    private final SharedTimeline shared;
    private final BatchPipeline.Mailbox mailbox;

    private final ShardTimes shards;
    private final PacketTimes times;
    private @Nullable ServedVersion none;
    private long largestBeforeNs;
    private long largestAfterNs;

    /** True if a version was built that was asked for. */
    private boolean built;

    EventRules(
            SharedTimeline shared,
            BatchPipeline.Mailbox mailbox,
            ShardTimes shards,
            long latenessNs) {
        this.shared = shared;
        this.mailbox = mailbox;
        this.shards = shards;
        this.times = new PacketTimes(latenessNs);
    }

    /**
     * Looks at the next block of a shard, which is the key of the state.
     *
     * @return the latest time at which a packet of it is judged
     */
    long needsNs(PacketBlock block) {
        largestBeforeNs = shards.largestNs(block.shard());
        largestAfterNs = times.take(block, largestBeforeNs);
        return times.latestNs();
    }

    /**
     * The block that was looked at last with the versions that judge its packets, held until {@link
     * PendingBlock#release}.
     *
     * @param timeline says which versions those are
     */
    PendingBlock judged(PacketBlock block, Timeline timeline) throws Exception {
        if (largestAfterNs != largestBeforeNs) {
            shards.update(block.shard(), largestAfterNs);
        }
        PendingBlock pending = new PendingBlock(block);
        boolean done = false;
        try {
            pending.runs = runs(pending, timeline);
            done = true;
        } finally {
            if (!done) {
                pending.release();
            }
        }
        return pending;
    }

    /** Late packets of the last block. */
    int lateCount() {
        return times.lateCount();
    }

    /** Packets of the last block that are judged at later times than this one. */
    int countAfter(long timeNs) {
        return times.countAfter(timeNs);
    }

    /** Stands in where no version judges, with the default action of the first version. */
    private ServedVersion none() {
        ServedVersion known = none;
        if (known == null) {
            RecordedHistory history = shared.history();
            known = new NoRules(history.firstHistory(), history.firstDefaultAction());
            none = known;
        }
        return known;
    }

    private List<PendingBlock.Run> runs(PendingBlock pending, Timeline timeline)
            throws InterruptedException {
        int count = pending.verdicts.length;
        List<VersionRun> runs = VersionRun.cut(times, count, timeline);
        ServedVersion none = none();
        boolean allOk = times.lateCount() == 0;
        Map<Integer, VersionEngines.Found> held = new HashMap<>();
        List<PendingBlock.Run> all = new ArrayList<>(runs.size());
        for (VersionRun run : runs) {
            int index = run.index();
            VersionEngines.Found version = held.get(index);
            if (version == null) {
                version = index < 0 ? new VersionEngines.Found(index, null) : acquire(index);
                held.put(index, version);
                if (version.version() != null) {
                    pending.hold(version.version());
                }
            }
            allOk &= version.version() != null;
            add(all, run.end(), version.version() == null ? none : version.version());
        }
        if (!allOk) {
            byte[] statuses = new byte[count];
            int i = 0;
            for (VersionRun run : runs) {
                int judging = Objects.requireNonNull(held.get(run.index())).index();
                for (; i < run.end(); i++) {
                    statuses[i] = (byte) VersionRun.status(judging, times.isLate(i)).code();
                }
            }
            pending.statuses = statuses;
        }
        return all;
    }

    /** Adds a run, or makes the last one longer, if the same version judges both. */
    @SuppressWarnings("ReferenceEquality") // verdicts are numbers of the very rules
    private static void add(List<PendingBlock.Run> runs, int end, ServedVersion rules) {
        int last = runs.size() - 1;
        if (last >= 0 && runs.get(last).rules() == rules) {
            runs.set(last, new PendingBlock.Run(end, rules));
        } else {
            runs.add(new PendingBlock.Run(end, rules));
        }
    }

    /** The version of an index, held for the caller where it has a look-up. */
    private VersionEngines.Found acquire(int index) throws InterruptedException {
        while (true) {
            built = false;
            VersionEngines.Found served =
                    shared.acquire(index, () -> mailbox.executeIfOpen(() -> built = true));
            if (served != null) {
                return served;
            }
            while (!built) {
                mailbox.runNext();
            }
        }
    }
}

package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.walk.WalkWays.Stage;
import dev.sluice.engine.walk.WalkWays.Way;

/**
 * Walker of batches of packets through a policy. Packets that come to a part together are looked up
 * together. Not thread-safe.
 */
public final class Walker {
    private static final int NONE = Walk.NONE;

    private final Walk walk;
    private final int count;
    private final WalkMemory memory;
    private final StageWalk readings;

    /**
     * A walker of the packets of a batch.
     *
     * @param found boxes of the packets in the parts of the walk
     * @param count number of packets
     * @param memory used by no other walker meanwhile
     */
    public Walker(Walk walk, FoundBoxes found, int count, WalkMemory memory) {
        this.walk = walk;
        this.count = count;
        this.memory = memory;
        readings = new StageWalk(walk, found, count, memory);
    }

    /**
     * Finds the answers to the packets.
     *
     * @param answers gets for each packet a position in {@link Walk#answers}; {@link
     *     VerdictBatch#MISS}: the packet does not come to the policy
     */
    public void answer(int[] answers) {
        PacketList all = memory.all;
        all.clear();
        for (int packet = 0; packet < count; packet++) {
            all.add(packet);
        }
        clear(all);
        for (Way way : walk.ways) {
            add(way, all);
        }
        PacketList open = memory.open;
        open.clear();
        for (int packet = 0; packet < count; packet++) {
            answers[packet] = answer(packet);
            if (!walk.worlds.isEmpty() && depends(packet)) {
                open.add(packet);
            }
        }
        if (open.count > 0) {
            settle(open, answers);
        }
    }

    /** Finds the answers to packets that depend, and may do so in no possible world. */
    private void settle(PacketList open, int[] answers) {
        System.arraycopy(memory.earlierAlways, 0, memory.always, 0, count * memory.earlierStages);
        clear(open);
        for (Way world : walk.worlds) {
            add(world, open);
            int stay = 0;
            for (int k = 0; k < open.count; k++) {
                int packet = open.packets[k];
                if (depends(packet)) {
                    keep(packet, answers);
                } else {
                    open.packets[stay++] = packet;
                }
            }
            open.count = stay;
        }
        for (int k = 0; k < open.count; k++) {
            int packet = open.packets[k];
            if (memory.mayPass[packet] || memory.mayFail[packet]) {
                answers[packet] = answer(packet);
            } else {
                memory.mayPass[packet] = true;
                memory.mayFail[packet] = true;
                keep(packet, answers);
            }
        }
    }

    /**
     * Keeps that a packet depends, on a rule that is unknown in a possible world if there is one.
     */
    private void keep(int packet, int[] answers) {
        int row = packet * memory.earlierStages;
        System.arraycopy(memory.always, row, memory.earlierAlways, row, memory.earlierStages);
        int asked = memory.asking[packet];
        answers[packet] = asked == NONE ? answers[packet] : walk.depends(asked);
        memory.sure[packet] = false;
    }

    private boolean depends(int packet) {
        return memory.mayPass[packet] && memory.mayFail[packet];
    }

    /** Forgets all about packets. */
    private void clear(PacketList of) {
        for (int k = 0; k < of.count; k++) {
            int packet = of.packets[k];
            memory.mayPass[packet] = false;
            memory.mayFail[packet] = false;
            memory.sure[packet] = true;
            memory.permitting[packet] = NONE;
            memory.denying[packet] = NONE;
            memory.asking[packet] = NONE;
            memory.first[packet] = NONE;
        }
    }

    /** Adds what a way decides about packets, of which those that come to it take it. */
    private void add(Way way, PacketList of) {
        Stage judges = way.judges();
        if (judges == null) {
            tried(way, of);
            return;
        }
        readings.decide(of, judges);
        PacketList judged = memory.judged;
        judged.clear();
        for (int k = 0; k < of.count; k++) {
            if (readings.permits(of.packets[k], true)) {
                judged.add(of.packets[k]);
            }
        }
        tried(way, judged);
    }

    private int answer(int packet) {
        if (depends(packet)) {
            memory.sure[packet] = false;
            int asked = memory.asking[packet];
            return walk.depends(asked == NONE ? memory.permitting[packet] : asked);
        }
        return memory.mayPass[packet]
                ? walk.answer(memory.permitting[packet])
                : memory.mayFail[packet] ? walk.answer(memory.denying[packet]) : VerdictBatch.MISS;
    }

    /**
     * Returns whether the rule of a packet's last answer decides whatever unknown conditions are;
     * else another rule of the same outcome may come first.
     */
    public boolean isSure(int packet) {
        return memory.sure[packet];
    }

    /**
     * The answer that let a packet pass in a stage before the one that decided.
     *
     * @param stage from 0, counted over the stages that the packet came to
     * @return {@link VerdictBatch#MISS}: it came to fewer, or it depends there or before
     */
    public int earlier(int packet, int stage) {
        boolean passes = memory.mayPass[packet];
        boolean fails = memory.mayFail[packet];
        if (!passes && !fails) {
            return VerdictBatch.MISS;
        }
        int[] rules =
                passes && fails
                        ? memory.earlierAlways
                        : passes ? memory.earlierPermitting : memory.earlierDenying;
        int rule = rules[packet * memory.earlierStages + stage];
        return rule == NONE ? VerdictBatch.MISS : walk.answer(rule);
    }

    private void tried(Way way, PacketList of) {
        Stage skips = way.skips();
        PacketList states = of;
        if (skips != null) {
            readings.decide(of, skips);
            PacketList skipped = memory.skipped;
            PacketList tracked = memory.tracked;
            skipped.clear();
            tracked.clear();
            for (int k = 0; k < of.count; k++) {
                int packet = of.packets[k];
                if (readings.permits(packet, true)) {
                    skipped.add(packet);
                }
                if (!readings.permits(packet, false)) {
                    tracked.add(packet);
                }
            }
            add(way.untracked(), skipped);
            states = tracked;
        }
        for (Stage[] state : way.states()) {
            add(state, states);
        }
    }

    /** Adds the decisions of both readings of stages. */
    private void add(Stage[] stages, PacketList of) {
        readings.decide(of, stages);
        for (int k = 0; k < of.count; k++) {
            add(of.packets[k]);
        }
    }

    private void add(int packet) {
        int lower = readings.rule(packet, false);
        int upper = readings.rule(packet, true);
        if (lower == NONE && upper == NONE) {
            return; // the packet comes to none of the stages
        }
        boolean lowerPermits = readings.permits(packet, false);
        boolean upperPermits = readings.permits(packet, true);
        int lowerUnknown = readings.unknown(packet, false);
        int upperUnknown = readings.unknown(packet, true);
        if (walk.earlierStages() > 0) {
            if (!memory.mayPass[packet] && !memory.mayFail[packet]) {
                readings.copyEarlier(packet, false, memory.earlierAlways);
            } else {
                readings.keepEarlier(packet, false, memory.earlierAlways);
            }
            readings.keepEarlier(packet, true, memory.earlierAlways);
        }
        memory.first[packet] = memory.first[packet] == NONE ? lower : memory.first[packet];
        memory.sure[packet] &=
                memory.first[packet] == lower
                        && lower == upper
                        && lowerUnknown == NONE
                        && upperUnknown == NONE;
        if (lowerPermits && memory.permitting[packet] == NONE) {
            memory.permitting[packet] = lower;
            readings.copyEarlier(packet, false, memory.earlierPermitting);
        }
        if (!lowerPermits) {
            memory.mayFail[packet] = true;
        }
        if (upperPermits) {
            memory.mayPass[packet] = true;
        } else if (memory.denying[packet] == NONE) {
            memory.denying[packet] = upper;
            readings.copyEarlier(packet, true, memory.earlierDenying);
        }
        if (memory.asking[packet] == NONE && lowerPermits != upperPermits) {
            int some = lowerUnknown == NONE ? upperUnknown : lowerUnknown;
            memory.asking[packet] = some == NONE ? lower : some;
        }
    }
}

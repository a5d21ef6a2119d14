package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Walk.Move;
import dev.sluice.engine.walk.WalkMemory.Frame;
import dev.sluice.engine.walk.WalkWays.Stage;

/**
 * Both readings of stages for the packets of a batch. A packet is on one walk while its readings
 * are alike, and on two from where they part. Not thread-safe.
 */
final class StageWalk {
    private static final int NONE = Walk.NONE;

    private static final int[] NO_BOXES = {};

    // Readings that a walk of a packet is of.
    private static final int BOTH = 0;
    private static final int LOWER = 1;
    private static final int UPPER = 2;

    // Ways to another segment.
    private static final int GO = 0;
    private static final int CALL = 1;
    private static final int CALL_UNKNOWN = 2;
    private static final int CALL_IN_DOUBT = 3;
    private static final int WAYS = 4;

    private final Walk walk;
    private final FoundBoxes found;

    /** Row of the first packet's upper reading. */
    private final int upper;

    private final WalkMemory memory;
    private final int[] rule;
    private final int[] unknown;
    private final int[] before;
    private final boolean[] permits;
    private final boolean[] parted;

    StageWalk(Walk walk, FoundBoxes found, int count, WalkMemory memory) {
        this.walk = walk;
        this.found = found;
        this.memory = memory;
        int ways = JoinedParts.MOST_SEGMENTS * WAYS * (walk.segments() + 1);
        memory.reserve(count, ways, walk.earlierStages());
        upper = count;
        rule = memory.rule;
        unknown = memory.unknown;
        before = memory.before;
        permits = memory.permits;
        parted = memory.parted;
    }

    private int row(int packet, boolean ofUpper) {
        return ofUpper && parted[packet] ? upper + packet : packet;
    }

    /** The user's rule that decides about a packet; {@link Walk#NONE}: it comes to no stage. */
    int rule(int packet, boolean ofUpper) {
        return rule[row(packet, ofUpper)];
    }

    /** The user's rule whose condition is unknown, of those on the packet's way. */
    int unknown(int packet, boolean ofUpper) {
        return unknown[row(packet, ofUpper)];
    }

    /**
     * Copies the rules that let a packet pass in stages before the one that decides.
     *
     * @param to gets them at the packet's place, and {@link Walk#NONE} behind
     */
    void copyEarlier(int packet, boolean ofUpper, int[] to) {
        int row = row(packet, ofUpper);
        int stages = memory.earlierStages;
        for (int stage = 0; stage < stages; stage++) {
            boolean there = stage < memory.earlierCount[row];
            to[packet * stages + stage] = there ? memory.earlier[row * stages + stage] : NONE;
        }
    }

    /** Leaves of earlier rules those that this reading passes by, too, whatever is unknown. */
    void keepEarlier(int packet, boolean ofUpper, int[] of) {
        int row = row(packet, ofUpper);
        int stages = memory.earlierStages;
        boolean same = true;
        for (int stage = 0; stage < stages; stage++) {
            same &=
                    stage < memory.earlierSure[row]
                            && memory.earlier[row * stages + stage] == of[packet * stages + stage];
            if (!same) {
                of[packet * stages + stage] = NONE;
            }
        }
    }

    /** Returns whether a packet passes the stages. */
    boolean permits(int packet, boolean ofUpper) {
        return permits[row(packet, ofUpper)];
    }

    /** Walks packets through stages. */
    void decide(PacketList packets, Stage... stages) {
        Frame frame = memory.frame(0);
        PacketList start = memory.passed[BOTH];
        start.clear();
        start.addAll(packets);
        memory.passed[LOWER].clear();
        memory.passed[UPPER].clear();
        for (int k = 0; k < start.count; k++) {
            int packet = start.packets[k];
            rule[packet] = NONE;
            unknown[packet] = NONE;
            parted[packet] = false;
            memory.earlierCount[packet] = 0;
            memory.earlierSure[packet] = 0;
        }
        for (Stage stage : stages) {
            enter(frame.at(walk.rank(stage.first())));
            through(stage.first(), 0);
            for (int reading = 0; reading < WalkMemory.READINGS; reading++) {
                end(stage, reading, frame.left[reading]);
            }
        }
    }

    /** Puts the packets that passed the stage before into the next one. */
    private void enter(PacketList[] start) {
        for (int reading = 0; reading < WalkMemory.READINGS; reading++) {
            PacketList passed = memory.passed[reading];
            int offset = offset(reading);
            for (int k = 0; k < passed.count; k++) {
                int row = offset + passed.packets[k];
                before[row] = unknown[row];
                unknown[row] = NONE;
            }
            start[2 * reading].addAll(passed);
            passed.clear();
        }
    }

    private int offset(int reading) {
        return reading == UPPER ? upper : 0;
    }

    /** Lets the end of a stage decide about packets. */
    private void end(Stage stage, int reading, PacketList left) {
        int offset = offset(reading);
        for (int k = 0; k < left.count; k++) {
            int row = offset + left.packets[k];
            decided(row, stage.end());
            permits[row] = stage.permits();
        }
        if (stage.permits()) {
            memory.passed[reading].addAll(left);
        }
        left.clear();
    }

    /** Walks the packets of a frame through a chain; those that it leaves undecided are left. */
    private void through(int first, int depth) {
        Frame frame = memory.frame(depth);
        for (int at = first; at != NONE; at = walk.next(at)) {
            PacketList[] here = frame.known(walk.rank(at));
            if (here == null) {
                continue;
            }
            Parting parting = walk.joined.parting(at);
            if (parting != null) {
                part(here, parting);
            }
            for (int list = 0; list < here.length; list++) {
                if (here[list].count > 0) {
                    look(at, list, frame, depth);
                }
            }
        }
        PacketList[] end = frame.at(NONE);
        for (int list = 0; list < end.length; list++) {
            frame.left[list / 2].addAll(end[list]);
            end[list].clear();
        }
    }

    private void part(PacketList[] lists, Parting parting) {
        PacketList both = lists[2 * BOTH];
        int stay = 0;
        for (int k = 0; k < both.count; k++) {
            int packet = both.packets[k];
            if (parting.holds(found, packet)) {
                part(packet);
                lists[2 * LOWER].add(packet);
                lists[2 * UPPER].add(packet);
            } else {
                both.packets[stay++] = packet;
            }
        }
        both.count = stay;
    }

    /** Puts the upper reading of a packet on a walk of its own. */
    private void part(int packet) {
        parted[packet] = true;
        rule[upper + packet] = rule[packet];
        unknown[upper + packet] = unknown[packet];
        before[upper + packet] = before[packet];
        int stages = memory.earlierStages;
        memory.earlierCount[upper + packet] = memory.earlierCount[packet];
        memory.earlierSure[upper + packet] = memory.earlierSure[packet];
        System.arraycopy(
                memory.earlier, packet * stages, memory.earlier, (upper + packet) * stages, stages);
    }

    /** Looks packets of one reading up in the part that begins at a segment. */
    private void look(int at, int list, Frame frame, int depth) {
        int reading = list / 2;
        boolean inDoubt = list % 2 == 1;
        PacketList asked = frame.at(walk.rank(at))[list];
        PacketList missed = frame.at(walk.rank(walk.behind(at, reading == UPPER, inDoubt)))[list];
        int part = walk.part(at, reading == UPPER, inDoubt);
        if (part == NONE) {
            missed.addAll(asked);
            asked.clear();
            return;
        }
        Move sole = walk.sole(part);
        int[] boxes = sole == null ? found.in(part, asked.packets, asked.count) : NO_BOXES;
        int offset = offset(reading);
        for (int k = 0; k < asked.count; k++) {
            int packet = asked.packets[k];
            if (sole == null && boxes[k] < 0) {
                missed.add(packet);
                continue;
            }
            Move move = sole == null ? found.move(part, boxes[k]) : sole;
            int row = offset + packet;
            if (unknown[row] == NONE) {
                unknown[row] = move.unknown();
            }
            switch (move.kind()) {
                case RETURN -> frame.left[reading].add(packet);
                case DOUBT -> inDoubt(frame.at(walk.rank(move.at()) - 1), reading, packet);
                case GO, CALL, CALL_IN_DOUBT -> take(at, move, packet);
                default -> decide(move, reading, packet);
            }
        }
        asked.clear();
        if (memory.taken.count > 0) {
            jump(at, list, frame, depth);
        }
    }

    private void decide(Move move, int reading, int packet) {
        int row = offset(reading) + packet;
        permits[row] = move.permits();
        if (move.permits()) {
            memory.passed[reading].add(packet);
        }
        if (move.rule() == NONE && move.permits()) {
            unknown[row] = before[row]; // the packet does not come to the stage
        } else {
            decided(row, move.rule());
        }
    }

    /** Notes the rule that decides in a stage; the one before let the packet pass. */
    private void decided(int row, int by) {
        if (rule[row] != NONE) {
            if (before[row] == NONE && memory.earlierSure[row] == memory.earlierCount[row]) {
                memory.earlierSure[row]++;
            }
            int at = row * memory.earlierStages + memory.earlierCount[row]++;
            memory.earlier[at] = rule[row];
        }
        rule[row] = by;
    }

    /** Adds a packet to those in doubt, where its readings are never alike. */
    private void inDoubt(PacketList[] lists, int reading, int packet) {
        if (reading == BOTH) {
            part(packet);
            lists[2 * LOWER + 1].add(packet);
            lists[2 * UPPER + 1].add(packet);
        } else {
            lists[2 * reading + 1].add(packet);
        }
    }

    /** Notes the way that a packet takes from a segment of a part. */
    private void take(int first, Move move, int packet) {
        int kind =
                move.kind() == Step.Kind.GO
                        ? GO
                        : move.kind() == Step.Kind.CALL_IN_DOUBT
                                ? CALL_IN_DOUBT
                                : move.unknown() == NONE ? CALL : CALL_UNKNOWN;
        int from = walk.rank(first) - walk.rank(move.at());
        int to = move.to() + 1; // an empty chain has no number
        int way = WAYS * (to * JoinedParts.MOST_SEGMENTS + from) + kind;
        if (memory.head[way] == NONE) {
            memory.taken.add(way);
        }
        memory.link[packet] = memory.head[way];
        memory.head[way] = packet;
    }

    /** Walks packets through the segments that they were noted for. */
    private void jump(int at, int list, Frame frame, int depth) {
        frame.jumping.clear();
        frame.ways.clear();
        PacketList taken = memory.taken;
        for (int t = 0; t < taken.count; t++) {
            int way = taken.packets[t];
            for (int p = memory.head[way]; p != NONE; p = memory.link[p]) {
                frame.jumping.add(p);
            }
            memory.head[way] = NONE;
            frame.ways.add(way);
            frame.ways.add(frame.jumping.count);
        }
        taken.clear();
        int start = 0;
        for (int w = 0; w < frame.ways.count; w += 2) {
            int end = frame.ways.packets[w + 1];
            jump(at, list, frame, depth, frame.ways.packets[w], start, end);
            start = end;
        }
    }

    private void jump(int at, int list, Frame frame, int depth, int way, int start, int end) {
        int reading = list / 2;
        boolean doubted = list % 2 == 1;
        int kind = way % WAYS;
        int from = walk.rank(at) - way / WAYS % JoinedParts.MOST_SEGMENTS;
        int to = way / WAYS / JoinedParts.MOST_SEGMENTS - 1;
        Frame called = memory.frame(depth + 1);
        PacketList[] entered = called.at(walk.rank(to));
        if (doubted || kind == CALL_UNKNOWN || kind == CALL_IN_DOUBT) {
            for (int k = start; k < end; k++) {
                inDoubt(entered, reading, frame.jumping.packets[k]);
            }
        } else {
            entered[list].addAll(frame.jumping.packets, start, end - start);
        }
        through(to, depth + 1);
        boolean leaves = kind == GO || from == 0;
        int doubt = doubted || kind == CALL_IN_DOUBT ? 1 : 0;
        for (int back = 0; back < WalkMemory.READINGS; back++) {
            PacketList left = called.left[back];
            if (leaves) {
                frame.left[back].addAll(left);
            } else {
                if (doubt == 0) {
                    int offset = offset(back);
                    for (int k = 0; k < left.count; k++) {
                        unknown[offset + left.packets[k]] = NONE;
                    }
                }
                frame.at(from - 1)[2 * back + doubt].addAll(left);
            }
            left.clear();
        }
    }
}

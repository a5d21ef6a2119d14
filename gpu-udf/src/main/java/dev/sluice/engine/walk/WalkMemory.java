package dev.sluice.engine.walk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory of walks, which batches use one after the other. Not thread-safe. */
public final class WalkMemory {
    /** Number of readings of a packet: both while they are alike, the lower and the upper one. */
    static final int READINGS = 3;

    final PacketList all = new PacketList();
    final PacketList open = new PacketList();
    final PacketList judged = new PacketList();
    final PacketList skipped = new PacketList();
    final PacketList tracked = new PacketList();

    // By packet: what is decided, over all ways and states.
    boolean[] mayPass = new boolean[0];
    boolean[] mayFail = new boolean[0];
    boolean[] sure = new boolean[0];
    int[] permitting = new int[0];
    int[] denying = new int[0];
    int[] asking = new int[0];
    int[] first = new int[0];

    // By packet, and behind these by packet for upper readings that have parted.
    int[] rule = new int[0];
    int[] unknown = new int[0];
    int[] before = new int[0];
    boolean[] permits = new boolean[0];

    /** Rules that let a packet pass in stages before, {@link #earlierStages} a row. */
    int[] earlier = new int[0];

    /** Number of these rules of each row. */
    int[] earlierCount = new int[0];

    /** Number of the first of these rules before which nothing unknown stood. */
    int[] earlierSure = new int[0];

    // By packet: earlier rules where it was first permitted, where it was first denied, and those
    // that let it pass however it is read.
    int[] earlierPermitting = new int[0];
    int[] earlierDenying = new int[0];
    int[] earlierAlways = new int[0];

    /** As {@link #earlierAlways}, before possible worlds were tried. */
    int[] always = new int[0];

    int earlierStages;

    boolean[] parted = new boolean[0];

    /** The packet behind another in a list of those that take one way. */
    int[] link = new int[0];

    /** Last packet of each list. */
    int[] head = new int[0];

    /** Ways that packets take. */
    final PacketList taken = new PacketList();

    /** Packets that a stage permits, by reading. */
    final PacketList[] passed = lists(READINGS);

    private final List<Frame> frames = new ArrayList<>();

    /** Packets in a chain. */
    static final class Frame {
        /** Packets that go on at a segment, by the segment's rank. */
        private final List<PacketList @Nullable []> waiting = new ArrayList<>();

        /** Packets that have left the chain, by reading. */
        final PacketList[] left = lists(READINGS);

        /** Packets that go to other segments, those of one way one behind the other. */
        final PacketList jumping = new PacketList();

        /** Ways of these, and the end of each one's packets. */
        final PacketList ways = new PacketList();

        /** Packets that go on at a segment: lists by reading, twice, and 1 more if in doubt. */
        PacketList[] at(int rank) {
            while (waiting.size() <= rank + 1) {
                waiting.add(null);
            }
            PacketList[] there = waiting.get(rank + 1);
            if (there == null) {
                there = lists(2 * READINGS);
                waiting.set(rank + 1, there);
            }
            return there;
        }

        /** The same lists; null where no packet went on there yet. */
        PacketList @Nullable [] known(int rank) {
            return rank + 1 < waiting.size() ? waiting.get(rank + 1) : null;
        }
    }

    private static PacketList[] lists(int count) {
        PacketList[] lists = new PacketList[count];
        Arrays.setAll(lists, i -> new PacketList());
        return lists;
    }

    /** Makes room for packets, for as many ways, and for stages before the one that decides. */
    void reserve(int packets, int ways, int stages) {
        earlierStages = stages;
        if (earlierPermitting.length < packets * stages) {
            earlier = new int[2 * packets * stages];
            earlierPermitting = new int[packets * stages];
            earlierDenying = new int[packets * stages];
            earlierAlways = new int[packets * stages];
            always = new int[packets * stages];
        }
        if (parted.length < packets) {
            mayPass = new boolean[packets];
            mayFail = new boolean[packets];
            sure = new boolean[packets];
            permitting = new int[packets];
            denying = new int[packets];
            asking = new int[packets];
            first = new int[packets];
            rule = new int[2 * packets];
            unknown = new int[2 * packets];
            before = new int[2 * packets];
            permits = new boolean[2 * packets];
            parted = new boolean[packets];
            link = new int[packets];
            earlierCount = new int[2 * packets];
            earlierSure = new int[2 * packets];
        }
        if (head.length < ways) {
            head = new int[ways];
            Arrays.fill(head, Walk.NONE);
        }
    }

    /** The frame of a chain that so many others called. */
    Frame frame(int depth) {
        while (frames.size() <= depth) {
            frames.add(new Frame());
        }
        return frames.get(depth);
    }
}

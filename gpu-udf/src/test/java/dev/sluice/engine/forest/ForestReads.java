package dev.sluice.engine.forest;

import dev.sluice.engine.image.RuleTable;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;

/** What a search of a forest reads. */
final class ForestReads {
    private ForestReads() {}

    /** Nodes read plus twice the rules read for all headers of a batch: compares forests. */
    static long of(Forest forest, HeaderBatch headers) {
        long reads = 0;
        for (int i = 0; i < headers.size(); i++) {
            reads += of(forest.image().words(), forest, headers, i);
        }
        return reads;
    }

    private static int of(int[] words, Forest forest, HeaderBatch headers, int i) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int size = headers.layout().size();
        int boundShift = words[ForestLayout.BOUND_SHIFT_AT];
        int ports =
                words[ForestLayout.RANGES_AT] == 0
                        ? -1
                        : headers.layout().position(HeaderWord.PORTS);
        int reads = 0;
        int best = forest.rules().size();
        long at = Descriptor.at(words, ForestLayout.ROOT_AT);
        int next = RestLayout.NONE;
        while (true) {
            reads++;
            boolean alive = Descriptor.bound(at) << boundShift < best;
            if (alive && !Descriptor.isLeaf(at)) {
                Window window = Descriptor.window(at);
                int table = Descriptor.offset(at);
                next = Descriptor.hasRest(at) ? table : next;
                int word = h[window.position() * capacity + i];
                int child = word >>> window.shift() & window.mask();
                at = Descriptor.at(words, table + DescriptorLayout.WORDS * child);
                continue;
            }
            for (int leaf = Descriptor.offset(at); alive; leaf++) {
                int position = words[leaf] & ForestLayout.LEAF_POSITION;
                if (position >= best) {
                    break;
                }
                reads += 2;
                int rule = words[ForestLayout.TABLE_AT] + position * words[ForestLayout.STRIDE_AT];
                if (RuleTable.matches(words, rule, size, ports, h, capacity, i)) {
                    best = position;
                    break;
                }
                alive = words[leaf] >= 0;
            }
            if (next == RestLayout.NONE) {
                return reads;
            }
            at = Descriptor.at(words, next - RestLayout.ROOT_BEFORE);
            next = words[next - RestLayout.NEXT_BEFORE];
        }
    }
}

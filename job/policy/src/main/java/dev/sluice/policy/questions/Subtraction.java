package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Subtraction of boxes from regions of possible packets. */
final class Subtraction {
    private final BoxList boxes;
    private final int dimensions;

    /** Kinds of packets that lack the field of a dimension: they have its first coordinate. */
    private final long[][] lacking;

    /** Dimensions that some kinds lack. */
    private final int[] lacked;

    /** Dimensions in which a box cuts a region, the one with the smallest share first. */
    private final int[] order;

    private final double[] shares;

    Subtraction(BoxList boxes) {
        this.boxes = boxes;
        dimensions = boxes.dimensions;
        order = new int[dimensions + 1];
        shares = new double[dimensions + 1];
        HeaderSpace space = boxes.space;
        lacking = new long[dimensions][space.kinds.words()];
        for (int kind = 0; kind < space.kinds.size(); kind++) {
            List<Kinds.Part> parts = space.kinds.parts(kind);
            for (int d = 0; d < dimensions; d++) {
                int word = space.dimensions.get(d).word();
                if (parts.stream().allMatch(part -> lacks(part.header(), word))) {
                    lacking[d][kind >>> 6] |= 1L << kind;
                }
            }
        }
        lacked = IntStream.range(0, dimensions).filter(d -> !BoxList.isEmpty(lacking[d])).toArray();
    }

    /** Returns whether packets like one have no field of a word. */
    static boolean lacks(int[] header, int word) {
        int version = Field.IP_VERSION.extract(header[HeaderWord.IP]);
        return word <= HeaderWord.IPV4_DST && version != Field.VERSION_4
                || HeaderWord.isIpv6(word) && version != Field.VERSION_6
                || word == HeaderWord.PORTS
                        && Field.PORTS_PRESENT.extract(header[HeaderWord.IP]) == 0;
    }

    /** Removes the kinds that have no packet in a region; returns whether some are left. */
    boolean hasPackets(Region region) {
        for (int d : lacked) {
            if (region.bounds()[2 * d] > 0) {
                for (int w = 0; w < region.kinds().length; w++) {
                    region.kinds()[w] &= ~lacking[d][w];
                }
            }
        }
        return !BoxList.isEmpty(region.kinds());
    }

    /** Passes the pieces of a region that a box has not, apart from each other. */
    void without(Region region, int box, Consumer<Region> pieces) {
        int cutting = 0;
        for (int d = 0; d <= dimensions; d++) {
            double share =
                    d < dimensions ? boxes.share(box, region, d) : boxes.kindShare(box, region);
            if (share == 1) {
                continue; // the box has all of it
            }
            int at = cutting++;
            while (at > 0 && shares[at - 1] > share) {
                order[at] = order[at - 1];
                shares[at] = shares[at - 1];
                at--;
            }
            order[at] = d;
            shares[at] = share;
        }
        Region left = region.copy();
        for (int i = 0; i < cutting; i++) {
            int d = order[i];
            if (d == dimensions) {
                Region others = left.copy();
                for (int w = 0; w < left.kinds().length; w++) {
                    others.kinds()[w] &= ~boxes.kinds(box, w);
                    left.kinds()[w] &= boxes.kinds(box, w);
                }
                pass(others, pieces);
                continue;
            }
            Region outside = left.copy();
            outside.remove(d, boxes.first(box, d), boxes.last(box, d));
            pass(outside, pieces);
            left.clip(d, boxes.first(box, d), boxes.last(box, d));
        }
    }

    private void pass(Region piece, Consumer<Region> pieces) {
        if (hasPackets(piece)) {
            pieces.accept(piece);
        }
    }
}

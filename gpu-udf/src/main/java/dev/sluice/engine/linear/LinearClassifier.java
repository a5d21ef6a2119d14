package dev.sluice.engine.linear;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTableLayout;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/** Compares every rule with a whole block of headers, worst rule first. Thread-safe. */
public final class LinearClassifier extends CompiledClassifier {
    private static final int BLOCK = 256;

    private final int table;
    private final int stride;
    private final int portsPosition;

    /** A classifier over an image of this algorithm. */
    public LinearClassifier(Image image) {
        super(image);
        this.table = words[LinearLayout.TABLE_AT];
        this.stride = words[LinearLayout.STRIDE_AT];
        this.portsPosition =
                words[LinearLayout.RANGES_AT] == 0 ? -1 : image.layout().position(HeaderWord.PORTS);
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        int[] misses = Scratch.OF_THREAD.get().misses;
        for (int from = 0; from < headers.size(); from += BLOCK) {
            block(headers, verdicts, from, Math.min(BLOCK, headers.size() - from), misses);
        }
    }

    private void block(HeaderBatch headers, int[] verdicts, int from, int n, int[] misses) {
        Arrays.fill(verdicts, from, from + n, VerdictBatch.MISS);
        int[] h = headers.words();
        int capacity = headers.capacity();
        for (int rule = image().rules() - 1; rule >= 0; rule--) {
            int at = table + rule * stride;
            Arrays.fill(misses, 0, n, 0);
            for (int p = 0; p < layoutSize; p++) {
                int pair = at + RuleTableLayout.PAIR * p;
                int mask = words[pair + RuleTableLayout.MASK];
                if (mask != 0) {
                    int value = words[pair + RuleTableLayout.VALUE];
                    differ(h, p * capacity + from, n, value, mask, misses);
                }
            }
            if (portsPosition >= 0) {
                int ranges = at + RuleTableLayout.PAIR * layoutSize;
                outside(
                        h,
                        portsPosition * capacity + from,
                        n,
                        words[ranges + RuleTableLayout.SRC_PORTS],
                        words[ranges + RuleTableLayout.DST_PORTS],
                        misses);
            }
            take(verdicts, from, n, rule, misses);
        }
    }

    /** misses[i] gets bits set where header word i differs from the value under the mask. */
    private static void differ(int[] h, int start, int n, int value, int mask, int[] misses) {
        for (int i = 0; i < n; i++) {
            misses[i] |= (h[start + i] ^ value) & mask;
        }
    }

    /** misses[i] becomes negative where a port lies outside its range. */
    private static void outside(int[] h, int start, int n, int src, int dst, int[] misses) {
        int srcLow = src >>> 16;
        int srcHigh = src & 0xffff;
        int dstLow = dst >>> 16;
        int dstHigh = dst & 0xffff;
        for (int i = 0; i < n; i++) {
            int s = h[start + i] >>> 16;
            int d = h[start + i] & 0xffff;
            misses[i] |= ((s - srcLow) | (srcHigh - s) | (d - dstLow) | (dstHigh - d)) & 0x80000000;
        }
    }

    /** The rule is the verdict where nothing missed. */
    private static void take(int[] verdicts, int from, int n, int rule, int[] misses) {
        for (int i = 0; i < n; i++) {
            int missed = Branchless.maskIfNegative(misses[i] | -misses[i]);
            verdicts[from + i] = verdicts[from + i] & missed | rule & ~missed;
        }
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        final int[] misses = new int[BLOCK];
    }
}

package dev.sluice.engine.lookup;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.SplittableRandom;

/**
 * Headers made from rules, for calibration and traces: half at random points of random rules, a
 * quarter such with a bit flipped, a quarter at points of two rules mixed word by word. The same
 * seed gives the same headers. Not thread-safe.
 */
public final class SampleHeaders {
    private final RuleSet rules;
    private final SplittableRandom random;

    /** Headers of a rule set. */
    public SampleHeaders(RuleSet rules, long seed) {
        this.rules = rules;
        this.random = new SplittableRandom(seed);
    }

    /** A batch of headers. */
    public HeaderBatch batch(HeaderLayout layout, int count) {
        HeaderBatch batch = new HeaderBatch(layout, Math.max(1, count));
        for (int i = 0; i < count; i++) {
            batch.add(next());
        }
        return batch;
    }

    /** The next header: {@link HeaderWord#COUNT} words. */
    public int[] next() {
        int kind = random.nextInt(4);
        int[] header = point();
        if (kind == 2 && rules.layout().size() > 0) {
            int word = rules.layout().word(random.nextInt(rules.layout().size()));
            header[word] ^= 1 << random.nextInt(32);
        } else if (kind == 3) {
            int[] other = point();
            for (int w = 0; w < header.length; w++) {
                header[w] = random.nextBoolean() ? header[w] : other[w];
            }
        }
        return header;
    }

    /** A random point of a random rule. */
    public int[] point() {
        int[] header = new int[HeaderWord.COUNT];
        for (int w = 0; w < header.length; w++) {
            header[w] = random.nextInt();
        }
        if (rules.size() == 0) {
            return header;
        }
        Match match = rules.rules().get(random.nextInt(rules.size())).match();
        for (int w = 0; w < header.length; w++) {
            header[w] = header[w] & ~match.mask(w) | match.value(w);
        }
        int ports = header[HeaderWord.PORTS];
        int src = within(match.srcPorts(), ports >>> 16);
        int dst = within(match.dstPorts(), ports & 0xffff);
        header[HeaderWord.PORTS] = src << 16 | dst;
        return header;
    }

    private int within(int range, int port) {
        int low = range >>> 16;
        int high = range & 0xffff;
        return Match.inRange(port, range) ? port : random.nextInt(low, high + 1);
    }
}

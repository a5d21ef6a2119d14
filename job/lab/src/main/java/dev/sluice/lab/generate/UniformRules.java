package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * IPv4 5-tuples whose every field is drawn uniformly: prefixes of 8 to 32 bits, port ranges
 * (Schramm, §4.3). A ClassBench line has no range of protocols: a rule names one.
 */
record UniformRules(SplittableRandom random) {
    private static final int SHORTEST = 8;

    List<String> lines(int count) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(
                    "@%s\t%s\t%s\t%s\t0x%02x/0xFF\t0x0000/0x0000\t"
                            .formatted(prefix(), prefix(), ports(), ports(), random.nextInt(256)));
        }
        return lines;
    }

    private String prefix() {
        int length = SHORTEST + random.nextInt(33 - SHORTEST);
        return RandomParts.dotted(RandomParts.cut(random.nextInt(), length)) + "/" + length;
    }

    private String ports() {
        int one = random.nextInt(1 << 16);
        int other = random.nextInt(1 << 16);
        return Math.min(one, other) + " : " + Math.max(one, other);
    }
}

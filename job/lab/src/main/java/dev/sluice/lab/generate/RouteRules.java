package dev.sluice.lab.generate;

import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Routes as rules on the destination, longest prefix first. */
record RouteRules(SplittableRandom random) {
    List<String> ipv4(int count) {
        return lines(count, "@0.0.0.0/0", this::prefix4);
    }

    List<String> ipv6(int count) {
        return lines(count, "@::/0", this::prefix6);
    }

    /**
     * Lines of distinct prefixes, each of which a source gives behind three digits of its length.
     */
    private static List<String> lines(int count, String anySource, Supplier<String> prefix) {
        return RandomParts.distinct(count, prefix).stream()
                .sorted(Comparator.reverseOrder())
                .map(p -> anySource + "\t" + p.substring(4) + "\t0 : 65535\t0 : 65535\t0x00/0x00")
                .toList();
    }

    /** 3 % are longer than /24, over half are /24 (PacketShader §6.2.1). */
    private String prefix4() {
        int kind = random.nextInt(100);
        int length = kind < 3 ? 25 + random.nextInt(8) : kind < 58 ? 24 : 8 + random.nextInt(16);
        int address = RandomParts.cut(random.nextInt(), length);
        return "%03d %s/%d".formatted(length, RandomParts.dotted(address), length);
    }

    private String prefix6() {
        int kind = random.nextInt(100);
        int length =
                kind < 45
                        ? 48
                        : kind < 75
                                ? 32
                                : kind < 90 ? 36 + random.nextInt(12) : 49 + random.nextInt(80);
        int[] groups = new int[8];
        groups[0] = 0x2000 | random.nextInt(0x1000);
        for (int g = 1; g < 8; g++) {
            groups[g] = random.nextInt(0x10000);
        }
        return "%03d %s".formatted(length, RandomParts.prefix6(groups, length));
    }
}

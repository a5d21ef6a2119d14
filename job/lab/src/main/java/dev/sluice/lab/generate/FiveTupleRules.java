package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** IPv4 5-tuples as ClassBench's kinds have them: access lists, firewalls, IP chains. */
record FiveTupleRules(RandomParts parts, RuleShape shape) {
    /** Lines, the last of which matches everything. */
    List<String> lines(int count) {
        Set<String> lines = RandomParts.distinct(count - 1, this::line);
        Map<String, Integer> keys = new HashMap<>();
        // More specific first, with noise, as administrators write them.
        lines.forEach(l -> keys.put(l, specificity(l) * 8 + parts.random().nextInt(96)));
        List<String> sorted = new ArrayList<>(lines);
        sorted.sort(Comparator.comparing((String line) -> keys.getOrDefault(line, 0)).reversed());
        sorted.add("@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00\t0x0000/0x0000\t");
        return sorted;
    }

    private String line() {
        boolean swap = parts.random().nextBoolean();
        int[][] one =
                shape == RuleShape.ACL
                        ? RandomParts.SPECIFIC
                        : shape == RuleShape.FW ? RandomParts.NEARLY_WILD : RandomParts.MIXED;
        int[][] other = shape == RuleShape.IPC ? RandomParts.MIXED : RandomParts.SPECIFIC;
        int src = parts.length(swap || shape == RuleShape.ACL ? one : other);
        int dst = parts.length(swap || shape == RuleShape.ACL ? other : one);
        return "@%s\t%s\t%s\t%s\t%s\t0x0000/0x0000\t"
                .formatted(
                        parts.prefix(src),
                        parts.prefix(dst),
                        parts.ports(shape == RuleShape.ACL ? 99 : 85, 5),
                        parts.ports(25, 55),
                        parts.protocol());
    }

    /** Lengths of both prefixes of a line. */
    private static int specificity(String line) {
        String[] words = line.substring(1).split("\t", 3);
        return Integer.parseInt(words[0].substring(words[0].indexOf('/') + 1))
                + Integer.parseInt(words[1].substring(words[1].indexOf('/') + 1));
    }
}

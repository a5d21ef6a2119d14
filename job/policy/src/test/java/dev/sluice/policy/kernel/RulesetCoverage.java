package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts what packets reached in rulesets of nftables: each match, negated or not, by the depth of
 * calls and by what its rule did to the walk.
 */
final class RulesetCoverage {
    /** Deepest level that is counted apart; deeper ones count as this one. */
    private static final int DEEPEST = 2;

    private static final List<String> DEEDS = List.of("verdict", "return", "goto");

    private static final String KEY =
            "(?:ip6? (?:saddr|daddr|dscp|ecn|protocol|nexthdr|ttl|hoplimit|length|frag-off)"
                    + "|icmp type|icmp code|icmpv6 type|(?:tcp|udp|th) [sd]port|tcp flags"
                    + "|meta (?:l4proto|nfproto|protocol|mark|length|pkttype)|[io]if(?:name)?"
                    + "|ether saddr|ct state|exthdr \\w+)";

    /** Match as nft prints it: what is loaded, a negation, and a set or a verdict map. */
    private static final Pattern MATCH =
            Pattern.compile(
                    "(?<![\\w.] )\\b("
                            + KEY
                            + ")((?: \\. "
                            + KEY
                            + ")*)( != | ! )?"
                            + "(?: ?(vmap|@|\\{))?");

    private final Map<String, long[][]> counts = new TreeMap<>();
    private long packets;
    private long passed;

    /** Counts an answer about a ruleset that a dump holds. */
    void add(List<String> lines, KernelAnswer answer) {
        if (answer.steps().isEmpty()) {
            return;
        }
        packets++;
        passed += answer.passed() ? 1 : 0;
        Deque<String> calls = new ArrayDeque<>();
        List<Step> steps = answer.steps();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            String chain = step.where();
            if (!RandomRuleset.isCalled(step.chain())) {
                calls.clear();
            }
            if (calls.contains(chain)) {
                while (!chain.equals(calls.peek())) {
                    calls.pop();
                }
            } else {
                calls.push(chain);
            }
            boolean last =
                    i + 1 == steps.size() || !RandomRuleset.isCalled(steps.get(i + 1).chain());
            if (!step.isEnd()) {
                String rule = lines.get(step.rule() - 1);
                int deed = deed(rule, last);
                if (deed >= 0) {
                    int depth = Math.min(calls.size() - 1, DEEPEST);
                    matches(rule).forEach(match -> counts(match)[depth][deed]++);
                }
            }
        }
    }

    private long[][] counts(String match) {
        return counts.computeIfAbsent(match, m -> new long[DEEPEST + 1][DEEDS.size()]);
    }

    private static int deed(String rule, boolean last) {
        if (rule.contains(" vmap ")) {
            return last ? 0 : -1; // the kernel does not tell which element it was
        }
        String end = rule.replaceFirst(" # .*", "").strip();
        return end.matches(".*\\b(accept|drop)|.*\\breject( with .*)?")
                ? 0
                : end.endsWith("return") ? 1 : end.matches(".*\\bgoto \\S+") ? 2 : -1;
    }

    /** Returns the matches of a rule: by what they load, and by the form of their values. */
    private static List<String> matches(String rule) {
        List<String> matches = new ArrayList<>();
        Matcher found = MATCH.matcher(rule);
        while (found.find()) {
            String not = found.group(3) == null ? "" : "! ";
            String form = found.group(4) == null ? "" : found.group(4);
            boolean one = found.group(2).isEmpty();
            matches.add(not + (one ? found.group(1) : "concatenation"));
            switch (form) {
                case "vmap" -> matches.add("verdict map");
                case "@" -> matches.add(not + "named set");
                case "{" -> matches.add(not + "set");
                default -> {}
            }
        }
        return matches;
    }

    double passedShare() {
        return (double) passed / packets;
    }

    /** Returns how often the rarest match of a rule's words decided anything. */
    long rarest(String rule) {
        return matches(rule).stream().mapToLong(this::sum).min().orElse(Long.MAX_VALUE);
    }

    private long sum(String match) {
        long[][] rows = counts.getOrDefault(match, new long[0][]);
        return Arrays.stream(rows).flatMapToLong(Arrays::stream).sum();
    }

    /** Returns a sentence for each match that decided more seldom than a goal. */
    List<String> lacking(long goal) {
        return counts.keySet().stream()
                .filter(match -> sum(match) < goal)
                .map(match -> "%s decided %d times of %d".formatted(match, sum(match), goal))
                .toList();
    }

    /**
     * Returns a row a match: for each depth how often its rule gave the verdict, returned, went to.
     */
    String table() {
        StringBuilder text = FirewallCoverage.tableHead(packets, passedShare(), DEEPEST);
        counts.forEach(
                (match, rows) -> {
                    text.append("\n%-24s".formatted(match));
                    for (long[] row : rows) {
                        text.append(" %10d %7d %7d".formatted(row[0], row[1], row[2]));
                    }
                });
        return text.append('\n').toString();
    }
}

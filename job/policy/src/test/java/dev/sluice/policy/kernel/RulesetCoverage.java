package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts what packets reached in rulesets of nftables: each match, negated or not, by the depth of
 * calls and by what its rule did to the walk. Tells what lacks, so that rulesets are drawn towards
 * it.
 */
final class RulesetCoverage {
    /** Deepest level that is counted apart; deeper ones count as this one. */
    static final int DEEPEST = 3;

    /** Cells among which a wish is the one that was reached least. */
    private static final int WISHES = 12;

    /** Matches that rules have as they are and negated. */
    static final List<String> KEYS =
            List.of(
                    "ip saddr",
                    "ip daddr",
                    "ip dscp",
                    "ip ecn",
                    "ip ttl",
                    "ip protocol",
                    "ip length",
                    "icmp type",
                    "icmp code",
                    "ip6 saddr",
                    "ip6 daddr",
                    "ip6 dscp",
                    "ip6 hoplimit",
                    "ip6 nexthdr",
                    "icmpv6 type",
                    "icmpv6 code",
                    "meta l4proto",
                    "meta nfproto",
                    "meta protocol",
                    "meta mark",
                    "meta length",
                    "meta pkttype",
                    "tcp dport",
                    "tcp sport",
                    "udp dport",
                    "udp sport",
                    "th dport",
                    "tcp flags",
                    "iifname",
                    "oifname",
                    "iif",
                    "oif",
                    "ether saddr",
                    "ct state");

    private static final List<String> FORMS = List.of("concatenation", "set", "named set");

    /** Matches and forms of values that have no negation, or whose negation counts as the rest. */
    private static final List<String> ALONE =
            List.of("ip frag-off", "exthdr frag", "exthdr hbh", "mask", "range", "prefix");

    static final String VERDICT_MAP = "verdict map";

    private static final String KEY =
            "(?:ip6? (?:saddr|daddr|dscp|ecn|protocol|nexthdr|ttl|hoplimit|length|frag-off)"
                    + "|icmp(?:v6)? (?:type|code)|(?:tcp|udp|th) [sd]port|tcp flags"
                    + "|meta (?:l4proto|nfproto|protocol|mark|length|pkttype)|[io]if(?:name)?"
                    + "|ether saddr|ct state|exthdr \\w+)";

    /** Match as nft prints it: what is loaded, a mask, a negation, and the form of its values. */
    private static final Pattern MATCH =
            Pattern.compile(
                    "(?<!\\. )\\b("
                            + KEY
                            + ")((?: \\. "
                            + KEY
                            + ")*)( & (?:\\([^)]*\\)|\\S+))?( != | ! )?"
                            + "(?: ?(vmap|@|\\{[^}]*\\})| *(\\S+))?");

    private final Map<Cell, Long> counts = new LinkedHashMap<>();
    private long packets;
    private long passed;

    /** Effect of a deciding rule on the walk. */
    enum Deed {
        VERDICT,
        RETURN,
        GOTO
    }

    /** Match in a rule at a depth of calls that did something. */
    record Cell(String match, int depth, Deed deed) {}

    /** Makes an empty table of all cells that packets can reach. */
    RulesetCoverage() {
        List<String> matches = new ArrayList<>(ALONE);
        for (List<String> negatable : List.of(KEYS, FORMS)) {
            for (String match : negatable) {
                matches.add(match);
                matches.add("! " + match);
            }
        }
        for (int depth = 0; depth <= DEEPEST; depth++) {
            for (Deed deed : Deed.values()) {
                for (String match : matches) {
                    counts.put(new Cell(match, depth, deed), 0L);
                }
            }
            counts.put(new Cell(VERDICT_MAP, depth, Deed.VERDICT), 0L);
        }
    }

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
                add(lines.get(step.rule() - 1), Math.min(calls.size() - 1, DEEPEST), last);
            }
        }
    }

    private void add(String rule, int depth, boolean last) {
        @Nullable Deed deed = deed(rule);
        if (rule.contains(" vmap ")) {
            deed = last ? Deed.VERDICT : null; // the kernel does not tell which element it was
        }
        if (deed != null) {
            for (String match : matches(rule)) {
                counts.computeIfPresent(new Cell(match, depth, deed), (cell, count) -> count + 1);
            }
        }
    }

    private static @Nullable Deed deed(String rule) {
        String end = rule.replaceFirst(" # .*", "").strip();
        return end.matches(".*\\b(accept|drop)|.*\\breject( with .*)?")
                ? Deed.VERDICT
                : end.endsWith("return")
                        ? Deed.RETURN
                        : end.matches(".*\\bgoto \\S+") ? Deed.GOTO : null;
    }

    /** Returns the matches of a rule: by what they load, and by the form of their values. */
    static List<String> matches(String rule) {
        List<String> matches = new ArrayList<>();
        Matcher found = MATCH.matcher(rule);
        while (found.find()) {
            String not = found.group(4) == null ? "" : "! ";
            String form = found.group(5) == null ? "" : found.group(5);
            if (form.equals("vmap")) {
                matches.add(VERDICT_MAP);
                continue;
            }
            boolean one = found.group(2).isEmpty();
            matches.add(not + (one ? found.group(1) : "concatenation"));
            if (found.group(3) != null) {
                matches.add("mask");
            }
            if (!form.isEmpty()) {
                matches.add(not + (form.equals("@") ? "named set" : "set"));
            }
            String values = form + (found.group(6) == null ? "" : found.group(6));
            if (values.matches(".*[0-9a-f]-[0-9a-f].*")) {
                matches.add("range");
            }
            if (values.contains("/")) {
                matches.add("prefix");
            }
        }
        return matches;
    }

    long packets() {
        return packets;
    }

    double passedShare() {
        return (double) passed / packets;
    }

    /** Returns how often the rarest match of a rule's words decided anything. */
    long rarest(String rule) {
        return matches(rule).stream().mapToLong(this::sum).min().orElse(Long.MAX_VALUE);
    }

    private long sum(String match) {
        long sum = 0;
        for (int depth = 0; depth <= DEEPEST; depth++) {
            for (Deed deed : Deed.values()) {
                sum += counts.getOrDefault(new Cell(match, depth, deed), 0L);
            }
        }
        return sum;
    }

    /** Draws a cell at a depth that was reached less than others. */
    Cell wish(int depth, Random random) {
        List<Cell> able = counts.keySet().stream().filter(c -> c.depth == depth).toList();
        Cell wish = able.get(random.nextInt(able.size()));
        for (int i = 1; i < WISHES; i++) {
            Cell other = able.get(random.nextInt(able.size()));
            wish = counts.get(other) < counts.get(wish) ? other : wish;
        }
        return wish;
    }

    /** Draws a cell of those that were reached more seldom than a goal; null: there is none. */
    @Nullable Cell lacking(long goal, Random random) {
        List<Cell> lacking =
                counts.keySet().stream().filter(cell -> counts.get(cell) < goal).toList();
        return lacking.isEmpty() ? null : lacking.get(random.nextInt(lacking.size()));
    }

    /** Returns a sentence for each cell that was reached more seldom than a goal. */
    List<String> lacking(long goal) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() < goal)
                .map(
                        entry ->
                                "%s at depth %d decided a %s %d times of %d"
                                        .formatted(
                                                entry.getKey().match,
                                                entry.getKey().depth,
                                                entry.getKey().deed,
                                                entry.getValue(),
                                                goal))
                .toList();
    }

    /**
     * Returns a row a match: for each depth how often its rule gave the verdict, returned, went to.
     */
    String table() {
        StringBuilder text = FirewallCoverage.tableHead(packets, passedShare(), DEEPEST);
        counts.keySet().stream()
                .map(Cell::match)
                .distinct()
                .forEach(
                        match -> {
                            text.append("\n%-24s".formatted(match));
                            for (int depth = 0; depth <= DEEPEST; depth++) {
                                for (Deed deed : Deed.values()) {
                                    Long count = counts.get(new Cell(match, depth, deed));
                                    text.append(
                                            (deed == Deed.VERDICT ? " %10s" : " %7s")
                                                    .formatted(count == null ? "-" : count));
                                }
                            }
                        });
        return text.append('\n').toString();
    }
}

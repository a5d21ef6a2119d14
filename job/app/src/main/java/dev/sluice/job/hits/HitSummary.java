package dev.sluice.job.hits;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.RuleStatistics;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Summary of a policy's effect on captures, which {@code classify}, {@code replay} and {@code demo}
 * print at their end.
 *
 * <p>It shows the rules that were hit, the lines of rules never hit, each capture, dead letters by
 * reason, and the pace.
 *
 * @param rules the policy
 * @param hits at most one of each rule
 * @param captures the captures, in their order
 * @param outcomes counts of statuses and dead letters
 * @param shutTunnels packets whose tunnel was not decapsulated
 * @param pace rate of classification
 * @param connections counts of connections; null: they were not tracked
 */
public record HitSummary(
        KnownRules rules,
        List<RuleStatistics> hits,
        List<CaptureSum> captures,
        Outcomes outcomes,
        ShutTunnels shutTunnels,
        Pace pace,
        @Nullable ConnectionSum connections) {
    private static final int MOST_RULES = 25;
    private static final int MOST_RUNS = 20;
    private static final ObjectMapper JSON =
            new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);

    /** Returns the number of packets of all captures. */
    public long packets() {
        return captures.stream().mapToLong(CaptureSum::packets).sum();
    }

    /**
     * Prints the summary for people.
     *
     * @param whole whether to show all rules, however many there are
     */
    public void print(PrintWriter out, boolean whole) {
        List<HitRow> rows = rows();
        List<HitRow> hit = rows.stream().filter(row -> row.hits() != null).toList();
        int shown = whole ? hit.size() : Math.min(MOST_RULES, hit.size());
        HitTable.print(out, hit.subList(0, shown), false);
        if (shown < hit.size()) {
            long packets = hit.stream().skip(shown).mapToLong(HitRow::packets).sum();
            out.printf(
                    "not shown: %s with %s; --all-rules shows every rule%n",
                    Amount.of(hit.size() - shown, "more line"), Amount.of(packets, "packet"));
        }
        if (packets() > 0 || captures.stream().allMatch(CaptureSum::isClean)) {
            printNeverHit(out, rows, whole); // of unread captures it would say nothing
        }
        if (captures.size() > 1) {
            printCaptures(out);
        }
        long dead = captures.stream().mapToLong(CaptureSum::deadLetters).sum();
        out.printf("%s; %s%n", Amount.of(packets(), "packet"), Amount.of(dead, "dead letter"));
        outcomes.printDeadLetters(out);
        outcomes.printMarked(out);
        if (shutTunnels.sum() > 0) {
            out.println(shutTunnels.describe());
        }
        if (connections != null) {
            out.println(connections.describe());
        }
        out.println(pace.describe());
        out.flush();
    }

    List<HitRow> rows() {
        return new HitReport(rules).totals(hits, HitReport.Order.PACKETS);
    }

    private void printNeverHit(PrintWriter out, List<HitRow> rows, boolean whole) {
        List<Integer> lines =
                rows.stream()
                        .filter(HitRow::isNeverHit)
                        .map(HitRow::line)
                        .filter(line -> line > 0)
                        .sorted()
                        .distinct()
                        .toList();
        long rulesUnhit = rows.stream().filter(HitRow::isNeverHit).count();
        out.printf(
                "never hit: %,d of %s", rulesUnhit, Amount.of(new HitReport(rules).size(), "rule"));
        if (!lines.isEmpty()) {
            List<String> runs = runs(lines);
            int shown = whole ? runs.size() : Math.min(MOST_RUNS, runs.size());
            out.print(lines.size() == 1 ? ", line " : ", lines ");
            out.print(String.join(", ", runs.subList(0, shown)));
            if (shown < runs.size()) {
                out.print(" and others; --all-rules names every line");
            }
        }
        out.println();
    }

    /** Joins ascending numbers to runs: {@code 2}, {@code 5-9}. */
    private static List<String> runs(List<Integer> ascending) {
        List<String> runs = new ArrayList<>();
        for (int from = 0; from < ascending.size(); ) {
            int to = from;
            while (to + 1 < ascending.size() && ascending.get(to + 1) == ascending.get(to) + 1) {
                to++;
            }
            runs.add(
                    to == from
                            ? String.valueOf(ascending.get(from))
                            : ascending.get(from) + "-" + ascending.get(to));
            from = to + 1;
        }
        return runs;
    }

    private void printCaptures(PrintWriter out) {
        out.printf(
                "%15s %15s %15s %15s  %s%n",
                "packets", "matched a rule", "matched none", "dead letters", "capture");
        for (CaptureSum sum : captures) {
            out.printf(
                    "%,15d %,15d %,15d %,15d  %s%n",
                    sum.packets(), sum.matched(), sum.missed(), sum.deadLetters(), sum.capture());
        }
    }

    /** Returns the whole summary as JSON; {@code docs/json.md} describes its members. */
    public ObjectNode json() {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        ObjectNode object = nodes.objectNode();
        object.put("packets", packets());
        object.set("captures", JSON.valueToTree(captures));
        outcomes.putInto(object);
        ObjectNode shut = object.putObject("shut_tunnels");
        shutTunnels.byLabel().forEach(shut::put);
        ArrayNode list = object.putArray("rules");
        List<HitRow> rows = rows();
        rows.forEach(row -> list.add(HitTable.json(row)));
        object.put("rules_never_hit", rows.stream().filter(HitRow::isNeverHit).count());
        if (connections != null) {
            connections.putInto(object.putObject("connections"));
        }
        object.put("start_seconds", pace.startSeconds());
        object.put("packets_per_second", pace.packetsPerSecond());
        return object;
    }
}

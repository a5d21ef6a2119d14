package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageSection;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Facts and sections of a page that a {@link HitSummary} tells, with the same numbers. */
public final class HitPage {
    private static final long MILLI = 1_000_000L;

    private final HitSummary summary;
    private final List<HitRow> rows;

    /** The parts of a summary. */
    public HitPage(HitSummary summary) {
        this.summary = summary;
        rows = summary.rows();
    }

    /** Returns numbers of packets, rules and connections by name. */
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packets", summary.packets());
        facts.put(
                "matched a rule", summary.captures().stream().mapToLong(CaptureSum::matched).sum());
        facts.put("matched none", summary.captures().stream().mapToLong(CaptureSum::missed).sum());
        facts.put(
                "dead letters",
                summary.captures().stream().mapToLong(CaptureSum::deadLetters).sum());
        facts.put("rules", new HitReport(summary.rules()).size());
        facts.put("rules never hit", rows.stream().filter(HitRow::isNeverHit).count());
        ConnectionSum connections = summary.connections();
        if (connections != null) {
            TrackerCounts counts = connections.counts();
            facts.put("connections opened", counts.created());
            facts.put("first packets refused", counts.refused());
            Long refused = connections.refusedConnections();
            if (refused != null) {
                facts.put("connections refused", refused);
            }
        }
        return facts;
    }

    /**
     * Returns the rules and their hits, those with most packets first.
     *
     * @param findings words of lint about a rule, separated by commas; null: not known
     */
    public PageSection rules(@Nullable Function<Rule, String> findings) {
        return rules(rows, findings);
    }

    /**
     * Returns rows of rules and their hits.
     *
     * @param findings words of lint about a rule, separated by commas; null: not known
     */
    public static PageSection rules(List<HitRow> rows, @Nullable Function<Rule, String> findings) {
        boolean outcomes = rows.stream().anyMatch(row -> row.outcome() != null);
        List<PageColumn> columns = new ArrayList<>();
        columns.add(new PageColumn("line", Kind.LINE));
        columns.add(new PageColumn("rule", Kind.RULE));
        columns.add(new PageColumn("action", Kind.CHOICE));
        if (outcomes) {
            columns.add(new PageColumn("outcome", Kind.CHOICE));
        }
        if (findings != null) {
            columns.add(new PageColumn("findings", Kind.CHOICES));
        }
        columns.add(PageColumn.number("packets"));
        columns.add(PageColumn.number("bytes"));
        columns.add(new PageColumn("first", Kind.TIME));
        columns.add(new PageColumn("last", Kind.TIME));
        columns.add(new PageColumn("hits", Kind.CHOICE));
        PageSection section = new PageSection("rules", "Rules", columns);
        for (HitRow row : rows) {
            List<@Nullable Object> values = new ArrayList<>();
            values.add(row.line() == 0 ? "default" : row.lines());
            values.add(row.words());
            values.add(row.action());
            if (outcomes) {
                values.add(row.outcome());
            }
            if (findings != null) {
                values.add(row.rule() == null ? "" : findings.apply(row.rule()));
            }
            values.add(row.packets());
            values.add(row.bytes());
            RuleStatistics hits = row.hits();
            values.add(millis(hits == null ? Column.NO_TIME : hits.firstNs()));
            values.add(millis(row.lastNs()));
            values.add(row.isNeverHit() ? "never hit" : hits == null ? "no packet" : "hit");
            section.row(values.toArray());
        }
        return section.note(
                "Packets and bytes by the rule that decides, in the words of the rule file.");
    }

    /** Returns the packets that cannot be classified, by reason. */
    public PageSection deadLetters() {
        return deadLetters(summary.outcomes().deadLetters())
                .note(
                        "Packets that cannot be classified count for no rule; sluice headers names each.");
    }

    /** Returns dead letters by reason. */
    public static PageSection deadLetters(Map<String, Long> byReason) {
        PageSection section =
                new PageSection(
                        "dead-letters",
                        "Dead letters",
                        List.of(new PageColumn("reason", Kind.TEXT), PageColumn.number("packets")));
        byReason.forEach(section::row);
        return section;
    }

    /** Returns the captures and how they ended. */
    public PageSection captures() {
        PageSection section =
                new PageSection(
                        "captures",
                        "Captures",
                        List.of(
                                new PageColumn("capture", Kind.TEXT),
                                PageColumn.number("packets"),
                                PageColumn.number("matched a rule"),
                                PageColumn.number("matched none"),
                                PageColumn.number("dead letters"),
                                new PageColumn("end", Kind.CHOICE)));
        for (CaptureSum sum : summary.captures()) {
            section.row(
                    sum.capture(),
                    sum.packets(),
                    sum.matched(),
                    sum.missed(),
                    sum.deadLetters(),
                    sum.end() == null ? "not read to an end" : sum.end());
        }
        return section.note("The files that were read, and how each ended.");
    }

    /** Returns a time in ms since 1970 UTC; null: none. */
    public static @Nullable Long millis(long ns) {
        return ns == Column.NO_TIME ? null : Long.valueOf(Math.floorDiv(ns, MILLI));
    }
}

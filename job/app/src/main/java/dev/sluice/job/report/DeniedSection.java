package dev.sluice.job.report;

import dev.sluice.job.hits.HitPage;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageFigure;
import dev.sluice.job.page.PageSection;
import dev.sluice.job.read.PacketText;
import dev.sluice.schemas.codec.PacketField;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Section of a page: who was denied by which line, with the counts of {@code sluice report}. */
final class DeniedSection {
    /** Most rows of the table. */
    static final int MOST_ROWS = 20_000;

    private static final int MOST_SOURCES = 25;
    private static final int MOST_SERVICES = 10;
    private static final Comparator<Map.Entry<String, Long>> MOST_FIRST =
            Map.Entry.<String, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey());

    private DeniedSection() {}

    /**
     * The section of counts by rule, source and service.
     *
     * @param packets number of all packets
     */
    static PageSection of(PacketCounts<RuleLabel> counts, long packets) {
        TopTable<PacketCounts.Key> table = counts.table();
        boolean exact = table.missed() == 0;
        List<PageColumn> columns = new ArrayList<>();
        columns.add(new PageColumn("source", Kind.TEXT));
        columns.add(new PageColumn("service", Kind.TEXT));
        columns.add(new PageColumn("line", Kind.LINE));
        columns.add(new PageColumn("rule", Kind.RULE));
        columns.add(PageColumn.number("packets"));
        if (!exact) {
            columns.add(PageColumn.number("at most"));
        }
        columns.add(PageColumn.number("bytes"));
        columns.add(new PageColumn("first", Kind.TIME));
        columns.add(new PageColumn("last", Kind.TIME));
        PageSection section = new PageSection("denied", "Denied", columns);
        List<TopTable.Entry<PacketCounts.Key>> all = table.top(Long.MAX_VALUE);
        for (TopTable.Entry<PacketCounts.Key> entry :
                all.subList(0, Math.min(MOST_ROWS, all.size()))) {
            List<Object> row = new ArrayList<>();
            row.add(source(entry));
            row.add(service(entry));
            RuleLabel rule = counts.label(entry.key());
            row.add(rule == null ? "default" : rule.place());
            row.add(rule == null ? "" : rule.words());
            row.add(entry.packets());
            if (!exact) {
                row.add(entry.packets() + entry.missed());
            }
            row.add(entry.bytes());
            row.add(HitPage.millis(entry.firstNs()));
            row.add(HitPage.millis(entry.lastNs()));
            section.row(row.toArray());
        }
        if (!all.isEmpty()) {
            section.figure(matrix(all));
        }
        return section.note(note(table, packets, all.size()));
    }

    private static String note(TopTable<PacketCounts.Key> table, long packets, int rows) {
        String shown =
                "%,d of %,d packets are denied. "
                        .formatted(table.packets(), packets)
                        .concat(
                                rows <= MOST_ROWS
                                        ? "All counts by source, service and rule are here."
                                        : "Of %,d rows by source, service and rule, the %,d with most packets are here; sluice report --all prints all."
                                                .formatted(rows, MOST_ROWS));
        return table.missed() == 0
                ? shown
                : shown
                        + " There were more rows than are counted exactly: each may have as many packets as 'at most' says, and a row that is not here has at most %,d."
                                .formatted(table.missed());
    }

    private static String source(TopTable.Entry<PacketCounts.Key> entry) {
        return entry.key().source().hasRemaining()
                ? PacketText.text(PacketField.IP_SRC, entry.key().source())
                : "no address";
    }

    private static String service(TopTable.Entry<PacketCounts.Key> entry) {
        return Service.words(entry.key().service());
    }

    private static PageFigure matrix(List<TopTable.Entry<PacketCounts.Key>> all) {
        List<String> sources = names(all, DeniedSection::source, MOST_SOURCES, "other sources");
        List<String> services = names(all, DeniedSection::service, MOST_SERVICES, "other services");
        Map<String, Integer> rows = places(sources);
        Map<String, Integer> columns = places(services);
        long[][] cells = new long[sources.size()][services.size()];
        for (TopTable.Entry<PacketCounts.Key> entry : all) {
            int row = rows.getOrDefault(source(entry), sources.size() - 1);
            int column = columns.getOrDefault(service(entry), services.size() - 1);
            cells[row][column] += entry.packets();
        }
        return new PageFigure.Matrix("source", "service", sources, services, cells);
    }

    /** The names with most packets; if there are others, the last stands for them. */
    private static List<String> names(
            List<TopTable.Entry<PacketCounts.Key>> all,
            Function<TopTable.Entry<PacketCounts.Key>, String> name,
            int most,
            String others) {
        Map<String, Long> sums = new HashMap<>();
        all.forEach(entry -> sums.merge(name.apply(entry), entry.packets(), Long::sum));
        List<String> names =
                new ArrayList<>(
                        sums.entrySet().stream()
                                .sorted(MOST_FIRST)
                                .limit(most)
                                .map(Map.Entry::getKey)
                                .toList());
        if (names.size() < sums.size()) {
            names.add(others);
        }
        return names;
    }

    private static Map<String, Integer> places(List<String> names) {
        Map<String, Integer> places = new HashMap<>();
        names.forEach(name -> places.put(name, places.size()));
        return places;
    }
}

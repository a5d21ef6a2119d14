package dev.sluice.job.report;

import dev.sluice.job.hits.HitPage;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageFigure;
import dev.sluice.job.page.PageSection;
import dev.sluice.job.read.PacketText;
import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Section of a page: packets counted by rules, addresses and services, most first, with a matrix of
 * sources and services.
 *
 * @param <L> label of the rules that packets are counted by
 */
final class CountSection<L> {
    private static final int MOST_SOURCES = 25;
    private static final int MOST_SERVICES = 10;
    private static final Comparator<Map.Entry<String, Long>> MOST_FIRST =
            Map.Entry.<String, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey());

    private final PacketCounts<L> counts;
    private final List<Cell<TopTable.Entry<PacketCounts.Key>>> cells = new ArrayList<>();

    /**
     * Column of the table.
     *
     * @param value of a row's cell
     */
    record Cell<R>(PageColumn column, Function<R, @Nullable Object> value) {}

    /** Columns of rules. */
    static final List<Cell<RuleLabel>> RULES =
            List.of(
                    new Cell<>(new PageColumn("line", Kind.LINE), RuleLabel::place),
                    new Cell<>(new PageColumn("rule", Kind.RULE), RuleLabel::words));

    /** Columns of pairs of rules. */
    static final List<Cell<OutcomeChange>> CHANGES =
            List.of(
                    new Cell<>(new PageColumn("was", Kind.CHOICE), OutcomeChange::was),
                    new Cell<>(new PageColumn("is", Kind.CHOICE), OutcomeChange::is),
                    new Cell<>(
                            new PageColumn("old line", Kind.LINE), change -> change.old().place()),
                    new Cell<>(
                            new PageColumn("old rule", Kind.RULE), change -> change.old().words()),
                    new Cell<>(
                            new PageColumn("new line", Kind.LINE),
                            change -> change.fresh().place()),
                    new Cell<>(
                            new PageColumn("new rule", Kind.RULE),
                            change -> change.fresh().words()));

    /** Columns of pairs of rules, the new ones of which are not among the rules of the page. */
    static final List<Cell<OutcomeChange>> SHADOW_CHANGES =
            CHANGES.stream()
                    .map(
                            cell ->
                                    cell.column.name().equals("new line")
                                            ? new Cell<>(
                                                    new PageColumn("new line", Kind.TEXT),
                                                    cell.value)
                                            : cell)
                    .toList();

    /** Columns of pairs of rules, of which no packet met some. */
    static final List<Cell<OutcomeChange>> UNMET_CHANGES =
            Stream.concat(
                            CHANGES.stream(),
                            LabelForm.UNMET.stream()
                                    .map(
                                            cell ->
                                                    new Cell<OutcomeChange>(
                                                            new PageColumn(cell.name(), Kind.TEXT),
                                                            cell.text()::apply)))
                    .toList();

    /**
     * The section of counts; of what they are not by there is no column.
     *
     * @param labels columns of the rules
     * @param connections whether rows have connections
     * @param examples whether rows have an example
     */
    CountSection(
            PacketCounts<L> counts,
            HostNames hosts,
            List<Cell<L>> labels,
            boolean connections,
            boolean examples) {
        this.counts = counts;
        address(ReportColumn.SOURCE, hosts, PacketCounts.Key::source);
        address(ReportColumn.DESTINATION, hosts, PacketCounts.Key::destination);
        if (counts.isBy(ReportColumn.SERVICE)) {
            text("service", CountSection::service);
        }
        if (counts.isBy(ReportColumn.RULE)) {
            for (Cell<L> label : labels) {
                cells.add(new Cell<>(label.column, row -> ofRule(row, label.value)));
            }
        }
        number("packets", TopTable.Entry::packets);
        if (counts.table().missed() > 0) {
            number("at most", row -> row.packets() + row.missed());
        }
        number("bytes", TopTable.Entry::bytes);
        if (connections) {
            number("connections", TopTable.Entry::connections);
        }
        cells.add(
                new Cell<>(
                        new PageColumn("first", Kind.TIME), row -> HitPage.millis(row.firstNs())));
        cells.add(
                new Cell<>(new PageColumn("last", Kind.TIME), row -> HitPage.millis(row.lastNs())));
        if (examples) {
            text("example", TopTable.Entry::example);
        }
    }

    private void address(
            ReportColumn column, HostNames hosts, Function<PacketCounts.Key, ByteBuffer> address) {
        if (counts.isBy(column)) {
            text(column.toString(), row -> address(address.apply(row.key())));
            if (!hosts.equals(HostNames.NONE)) {
                text(column + " host", row -> hosts.name(address.apply(row.key())));
            }
        }
    }

    private void text(
            String name, Function<TopTable.Entry<PacketCounts.Key>, @Nullable Object> value) {
        cells.add(new Cell<>(new PageColumn(name, Kind.TEXT), value));
    }

    private void number(
            String name, Function<TopTable.Entry<PacketCounts.Key>, @Nullable Object> value) {
        cells.add(new Cell<>(PageColumn.number(name), value));
    }

    private @Nullable Object ofRule(
            TopTable.Entry<PacketCounts.Key> row, Function<L, @Nullable Object> value) {
        L label = counts.label(row.key());
        return label == null ? "" : value.apply(label);
    }

    /** The section without further rows. */
    PageSection section(String id, String title, String words, String command) {
        return section(id, title, words, command, List.of());
    }

    /**
     * The section, with further rows below its own.
     *
     * @param words a sentence about the packets that are counted
     * @param command that prints all rows
     */
    PageSection section(
            String id,
            String title,
            String words,
            String command,
            List<TopTable.Entry<PacketCounts.Key>> others) {
        PageSection section = new PageSection(id, title, cells.stream().map(Cell::column).toList());
        List<TopTable.Entry<PacketCounts.Key>> all = counts.table().top(Long.MAX_VALUE);
        Stream.concat(all.stream().limit(PageSection.MOST_ROWS), others.stream())
                .limit(PageSection.MOST_ROWS)
                .forEach(
                        row ->
                                section.row(
                                        cells.stream()
                                                .map(cell -> cell.value.apply(row))
                                                .toArray()));
        if (!all.isEmpty()
                && counts.isBy(ReportColumn.SOURCE)
                && counts.isBy(ReportColumn.SERVICE)) {
            section.figure(matrix(all));
        }
        return section.note(words + note(all.size(), command));
    }

    private String note(int rows, String command) {
        long missed = counts.table().missed();
        String shown =
                rows <= PageSection.MOST_ROWS
                        ? " All counts are here."
                        : " Of %,d rows the %,d with most packets are here; %s prints all."
                                .formatted(rows, PageSection.MOST_ROWS, command);
        return missed == 0
                ? shown
                : shown
                        + " There were more rows than are counted exactly: each may have as many packets as 'at most' says, and a row that is not here has at most %,d."
                                .formatted(missed);
    }

    private static String source(TopTable.Entry<PacketCounts.Key> entry) {
        return address(entry.key().source());
    }

    private static String address(ByteBuffer address) {
        return address.hasRemaining() ? PacketText.text(PacketField.IP_SRC, address) : "no address";
    }

    private static String service(TopTable.Entry<PacketCounts.Key> entry) {
        return Service.words(entry.key().service());
    }

    private static PageFigure matrix(List<TopTable.Entry<PacketCounts.Key>> all) {
        List<String> sources = names(all, CountSection::source, MOST_SOURCES, "other sources");
        List<String> services = names(all, CountSection::service, MOST_SERVICES, "other services");
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

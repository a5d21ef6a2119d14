package dev.sluice.job.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.read.PacketText;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Row forms of a report. Times are in UTC.
 *
 * @param <L> label of the rules that packets are counted by
 */
final class TopForm<L> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final PacketCounts<L> counts;
    private final HostNames hosts;
    private final LabelForm<L> labels;

    private TopForm(PacketCounts<L> counts, HostNames hosts, LabelForm<L> labels) {
        this.counts = counts;
        this.hosts = hosts;
        this.labels = labels;
    }

    /** The form of the rows of some counts. */
    static <L> RowForm<TopTable.Entry<PacketCounts.Key>> of(
            PacketCounts<L> counts, HostNames hosts, LabelForm<L> labels) {
        TopForm<L> form = new TopForm<>(counts, hosts, labels);
        return new RowForm<>(
                form.columns(
                        n -> "%,d".formatted(n),
                        ns -> TIME.format(Instant.EPOCH.plusNanos(ns)),
                        labels.behind()),
                form.columns(String::valueOf, String::valueOf, labels.plain()),
                form::json);
    }

    private List<TableColumn<TopTable.Entry<PacketCounts.Key>>> columns(
            Function<Long, String> number,
            Function<Long, String> time,
            List<LabelForm.Cell<L>> behind) {
        List<TableColumn<TopTable.Entry<PacketCounts.Key>>> columns = new ArrayList<>();
        columns.add(TableColumn.of("packets", row -> number.apply(row.packets())));
        columns.add(
                TableColumn.of(
                        "at most",
                        row ->
                                row.missed() == 0
                                        ? ""
                                        : number.apply(row.packets() + row.missed())));
        columns.add(
                TableColumn.of("bytes", row -> row.bytes() == 0 ? "" : number.apply(row.bytes())));
        columns.add(TableColumn.of("first", row -> time(row.firstNs(), time)));
        columns.add(TableColumn.of("last", row -> time(row.lastNs(), time)));
        columns.addAll(named(labels.before()));
        columns.add(TableColumn.of("source", row -> address(row.key().source())));
        columns.add(TableColumn.of("source host", row -> hosts.name(row.key().source())));
        columns.add(TableColumn.of("destination", row -> address(row.key().destination())));
        columns.add(TableColumn.of("destination host", row -> hosts.name(row.key().destination())));
        columns.add(TableColumn.of("service", row -> Service.words(row.key().service())));
        columns.addAll(named(behind));
        if (labels.connections()) {
            columns.add(3, TableColumn.of("connections", row -> number.apply(row.connections())));
        }
        if (labels.examples()) {
            columns.add(TableColumn.of("example", TopTable.Entry::example));
        }
        return columns;
    }

    private static String time(long ns, Function<Long, String> words) {
        return ns == Column.NO_TIME ? "" : words.apply(ns);
    }

    private List<TableColumn<TopTable.Entry<PacketCounts.Key>>> named(
            List<LabelForm.Cell<L>> cells) {
        return cells.stream()
                .map(
                        cell ->
                                TableColumn.<TopTable.Entry<PacketCounts.Key>>of(
                                        cell.name(), row -> of(row, cell.text())))
                .toList();
    }

    private String of(TopTable.Entry<PacketCounts.Key> row, Function<L, String> cell) {
        L label = counts.label(row.key());
        return label == null ? "" : cell.apply(label);
    }

    private static String address(ByteBuffer address) {
        return address.hasRemaining() ? PacketText.text(PacketField.IP_SRC, address) : "";
    }

    private ObjectNode json(TopTable.Entry<PacketCounts.Key> row) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("packets", row.packets());
        fields.put("packets_at_most", row.packets() + row.missed());
        LabelForm.put(fields, "bytes", row.bytes() == 0 ? "" : row.bytes());
        LabelForm.put(fields, "first_ns", row.firstNs() == Column.NO_TIME ? "" : row.firstNs());
        LabelForm.put(fields, "last_ns", row.lastNs() == Column.NO_TIME ? "" : row.lastNs());
        if (labels.connections()) {
            fields.put("connections", row.connections());
        }
        if (labels.examples()) {
            fields.put("example", row.example());
        }
        L label = counts.label(row.key());
        if (label != null) {
            labels.json().accept(label, fields);
        }
        LabelForm.put(fields, "source", address(row.key().source()));
        LabelForm.put(fields, "source_host", hosts.name(row.key().source()));
        LabelForm.put(fields, "destination", address(row.key().destination()));
        LabelForm.put(fields, "destination_host", hosts.name(row.key().destination()));
        LabelForm.put(fields, "service", Service.words(row.key().service()));
        return fields;
    }
}

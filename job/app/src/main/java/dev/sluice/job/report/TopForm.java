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

/** Row forms of a report. Times are in UTC. */
final class TopForm {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final PacketCounts counts;
    private final HostNames hosts;

    private TopForm(PacketCounts counts, HostNames hosts) {
        this.counts = counts;
        this.hosts = hosts;
    }

    /** The form of the rows of some counts. */
    static RowForm<TopTable.Entry<PacketCounts.Key>> of(PacketCounts counts, HostNames hosts) {
        TopForm form = new TopForm(counts, hosts);
        return new RowForm<>(
                form.columns(
                        n -> "%,d".formatted(n), ns -> TIME.format(Instant.EPOCH.plusNanos(ns))),
                form.columns(String::valueOf, String::valueOf),
                form::json);
    }

    private List<TableColumn<TopTable.Entry<PacketCounts.Key>>> columns(
            Function<Long, String> number, Function<Long, String> time) {
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
        columns.add(TableColumn.of("line", row -> line(row.key())));
        columns.add(TableColumn.of("source", row -> address(row.key().source())));
        columns.add(TableColumn.of("source host", row -> hosts.name(row.key().source())));
        columns.add(TableColumn.of("destination", row -> address(row.key().destination())));
        columns.add(TableColumn.of("destination host", row -> hosts.name(row.key().destination())));
        columns.add(TableColumn.of("service", row -> Service.words(row.key().service())));
        columns.add(TableColumn.of("rule", row -> rule(row.key())));
        return columns;
    }

    private static String time(long ns, Function<Long, String> words) {
        return ns == Column.NO_TIME ? "" : words.apply(ns);
    }

    private String line(PacketCounts.Key key) {
        RuleLabel rule = counts.label(key);
        return rule == null ? "" : rule.line() == 0 ? "default" : String.valueOf(rule.line());
    }

    private String rule(PacketCounts.Key key) {
        RuleLabel rule = counts.label(key);
        return rule == null ? "" : rule.words();
    }

    private static String address(ByteBuffer address) {
        return address.hasRemaining() ? PacketText.text(PacketField.IP_SRC, address) : "";
    }

    private ObjectNode json(TopTable.Entry<PacketCounts.Key> row) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("packets", row.packets());
        fields.put("packets_at_most", row.packets() + row.missed());
        put(fields, "bytes", row.bytes() == 0 ? "" : row.bytes());
        put(fields, "first_ns", row.firstNs() == Column.NO_TIME ? "" : row.firstNs());
        put(fields, "last_ns", row.lastNs() == Column.NO_TIME ? "" : row.lastNs());
        RuleLabel rule = counts.label(row.key());
        if (rule != null) {
            put(fields, "line", rule.line() == 0 ? "" : rule.line());
            fields.put("action", rule.action());
            fields.put("rule", rule.words());
        }
        put(fields, "source", address(row.key().source()));
        put(fields, "source_host", hosts.name(row.key().source()));
        put(fields, "destination", address(row.key().destination()));
        put(fields, "destination_host", hosts.name(row.key().destination()));
        put(fields, "service", Service.words(row.key().service()));
        return fields;
    }

    /** Puts a value that is known. */
    private static void put(ObjectNode fields, String name, Object value) {
        if (!value.equals("")) {
            fields.putPOJO(name, value);
        }
    }
}

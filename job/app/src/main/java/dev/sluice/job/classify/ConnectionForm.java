package dev.sluice.job.classify;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.read.PacketText;
import dev.sluice.job.table.TableColumn;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Row forms of connections: tab-separated values, and JSON with the names of the Avro fields. */
final class ConnectionForm {
    private static final List<TableColumn<Connection>> COLUMNS =
            List.of(
                    TableColumn.of("capture", row -> row.opening().capture()),
                    TableColumn.of("interface", row -> row.opening().interfaceName()),
                    TableColumn.of("ip_src", row -> address(row.ends().source())),
                    orEmpty("src_port", row -> row.ends().sourcePort()),
                    TableColumn.of("ip_dst", row -> address(row.ends().destination())),
                    orEmpty("dst_port", row -> row.ends().destinationPort()),
                    number("ip_proto", row -> row.ends().protocol()),
                    orEmpty("icmp_id", row -> row.ends().icmpId()),
                    orEmpty("first_ns", row -> time(row.firstNs())),
                    orEmpty("last_ns", row -> time(row.lastNs())),
                    number("packets", row -> row.sent().packets()),
                    number("bytes", row -> row.sent().bytes()),
                    number("reply_packets", row -> row.answered().packets()),
                    number("reply_bytes", row -> row.answered().bytes()),
                    TableColumn.of("state", Connection::state),
                    TableColumn.of("end", Connection::end),
                    TableColumn.of("outcome", row -> row.opening().outcome().label()),
                    orEmpty("rule", row -> row.opening().line()),
                    TableColumn.of("action", row -> row.opening().action()),
                    number("version", row -> row.opening().version()),
                    TableColumn.of("text", row -> row.opening().text()),
                    orEmpty("refused_packet", Connection::refusedPacket));

    private ConnectionForm() {}

    private static TableColumn<Connection> number(String name, ToLongFunction<Connection> cell) {
        return TableColumn.of(name, row -> Long.toString(cell.applyAsLong(row)));
    }

    private static TableColumn<Connection> orEmpty(
            String name, Function<Connection, @Nullable Number> cell) {
        return TableColumn.of(
                name,
                row -> {
                    Number value = cell.apply(row);
                    return value == null ? "" : value.toString();
                });
    }

    private static @Nullable Number time(long ns) {
        return ns == Column.NO_TIME ? null : Long.valueOf(ns);
    }

    private static String address(byte[] bytes) {
        return PacketText.text(PacketField.IP_SRC, ByteBuffer.wrap(bytes));
    }

    /** Returns the line of the names of columns, without its end. */
    static String titles() {
        return COLUMNS.stream().map(TableColumn::name).collect(Collectors.joining("\t"));
    }

    /** Returns a row as a line of text, without its end. */
    static String line(Connection row) {
        return COLUMNS.stream().map(column -> column.text(row)).collect(Collectors.joining("\t"));
    }

    /** Returns a row as a JSON object, without members that have no value. */
    static ObjectNode json(Connection row) {
        Connection.Opening opening = row.opening();
        Connection.Ends ends = row.ends();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("capture", opening.capture());
        if (!opening.interfaceName().isEmpty()) {
            object.put("interface", opening.interfaceName());
        }
        object.put("ipSrc", address(ends.source()));
        put(object, "srcPort", ends.sourcePort());
        object.put("ipDst", address(ends.destination()));
        put(object, "dstPort", ends.destinationPort());
        object.put("ipProto", ends.protocol());
        put(object, "icmpId", ends.icmpId());
        put(object, "firstNs", time(row.firstNs()));
        put(object, "lastNs", time(row.lastNs()));
        object.put("packets", row.sent().packets());
        object.put("bytes", row.sent().bytes());
        object.put("replyPackets", row.answered().packets());
        object.put("replyBytes", row.answered().bytes());
        object.put("state", row.state());
        object.put("end", row.end());
        object.put("outcome", opening.outcome().label());
        put(object, "ruleId", opening.ruleId());
        put(object, "line", opening.line());
        object.put("action", opening.action());
        object.put("version", opening.version());
        if (!opening.text().isEmpty()) {
            object.put("text", opening.text());
        }
        put(object, "refusedPacket", row.refusedPacket());
        return object;
    }

    private static void put(ObjectNode to, String name, @Nullable Number value) {
        if (value != null) {
            to.put(name, value.longValue());
        }
    }
}

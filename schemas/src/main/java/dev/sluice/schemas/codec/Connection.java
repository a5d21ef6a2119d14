package dev.sluice.schemas.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from its first packet to its end; or packets between two ends whose first one was
 * not let through. Of the messages with one {@link #key}, the last counts.
 *
 * @param opening verdict on the first packet
 * @param firstNs time of the first packet in ns since 1970 UTC, or {@link Column#NO_TIME}
 * @param lastNs time of the last packet, likewise
 * @param sent packets from who began
 * @param answered packets from who answers
 * @param state at the end, as the schema's text says
 * @param end reason of the end, as the schema's text says
 * @param refusedPacket number in its capture of the first packet that was refused; null: none was
 */
public record Connection(
        Opening opening,
        Ends ends,
        long firstNs,
        long lastNs,
        Traffic sent,
        Traffic answered,
        String state,
        String end,
        @Nullable Long refusedPacket) {
    private static final Schema SCHEMA = MessageSchemas.current("Connection");

    /**
     * Place of the first packet, and the verdict on it.
     *
     * @param capture name of the capture, or topic and partition
     * @param interfaceName empty: not known
     * @param ruleId null: no rule matched
     * @param line of the rule in its file; null: none
     * @param action of the rule, or the default action
     * @param text the rule in its own words; empty: none
     * @param history of the version; empty: none
     */
    public record Opening(
            String capture,
            String interfaceName,
            VerdictOutcome outcome,
            @Nullable Long ruleId,
            @Nullable Integer line,
            String action,
            String text,
            long version,
            String history) {}

    /**
     * Addresses and ports, who began first.
     *
     * @param source 4 or 16 bytes
     * @param destination as many bytes
     * @param sourcePort of a query of ICMP its type; null: the protocol has no ports
     * @param destinationPort of a query of ICMP its code
     * @param icmpId identifier of a query of ICMP; null: it is none
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Ends(
            byte[] source,
            byte[] destination,
            int protocol,
            @Nullable Integer sourcePort,
            @Nullable Integer destinationPort,
            @Nullable Integer icmpId) {}

    /**
     * Packets of one direction.
     *
     * @param bytes their lengths on the wire, summed up
     */
    public record Traffic(long packets, long bytes) {}

    /**
     * Returns the Kafka key: protocol, ends and time of the first packet. It is text, so that it
     * stays the same when the schema of the values changes.
     */
    public byte[] key() {
        HexFormat hex = HexFormat.of();
        return "%d/%s/%s/%s/%s/%s/%d"
                .formatted(
                        ends.protocol,
                        hex.formatHex(ends.source),
                        ends.sourcePort,
                        hex.formatHex(ends.destination),
                        ends.destinationPort,
                        ends.icmpId,
                        firstNs)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the connection as a record of its current schema. */
    public GenericRecord toRecord() {
        GenericRecord r = new GenericData.Record(SCHEMA);
        r.put("capture", opening.capture);
        r.put("interface", opening.interfaceName);
        r.put("ipSrc", ByteBuffer.wrap(ends.source));
        r.put("ipDst", ByteBuffer.wrap(ends.destination));
        r.put("ipProto", ends.protocol);
        r.put("srcPort", ends.sourcePort);
        r.put("dstPort", ends.destinationPort);
        r.put("icmpId", ends.icmpId);
        r.put("firstNs", firstNs == Column.NO_TIME ? null : firstNs);
        r.put("lastNs", lastNs == Column.NO_TIME ? null : lastNs);
        r.put("packets", sent.packets);
        r.put("bytes", sent.bytes);
        r.put("replyPackets", answered.packets);
        r.put("replyBytes", answered.bytes);
        r.put("state", state);
        r.put("end", end);
        Schema outcome = SCHEMA.getField("outcome").schema();
        r.put("outcome", new GenericData.EnumSymbol(outcome, opening.outcome.name()));
        r.put("ruleId", opening.ruleId);
        r.put("line", opening.line);
        r.put("action", opening.action);
        r.put("text", opening.text);
        r.put("version", opening.version);
        r.put("history", opening.history);
        r.put("refusedPacket", refusedPacket);
        return r;
    }

    /** Returns the message of the connection. */
    public byte[] encode() {
        return MessageCodec.encode(toRecord());
    }

    /**
     * Returns the connection in a message.
     *
     * @throws MalformedMessageException if it is none
     */
    public static Connection decode(byte[] message) throws MalformedMessageException {
        return of(MessageCodec.decode(message, "Connection"));
    }

    /** Returns the connection in a record. */
    public static Connection of(GenericRecord r) {
        return new Connection(
                new Opening(
                        r.get("capture").toString(),
                        r.get("interface").toString(),
                        VerdictOutcome.ofSymbol(r.get("outcome")),
                        (Long) r.get("ruleId"),
                        (Integer) r.get("line"),
                        r.get("action").toString(),
                        r.get("text").toString(),
                        (Long) r.get("version"),
                        r.get("history").toString()),
                new Ends(
                        MessageCodec.bytes((ByteBuffer) r.get("ipSrc")),
                        MessageCodec.bytes((ByteBuffer) r.get("ipDst")),
                        (Integer) r.get("ipProto"),
                        (Integer) r.get("srcPort"),
                        (Integer) r.get("dstPort"),
                        (Integer) r.get("icmpId")),
                time(r.get("firstNs")),
                time(r.get("lastNs")),
                new Traffic((Long) r.get("packets"), (Long) r.get("bytes")),
                new Traffic((Long) r.get("replyPackets"), (Long) r.get("replyBytes")),
                r.get("state").toString(),
                r.get("end").toString(),
                (Long) r.get("refusedPacket"));
    }

    private static long time(@Nullable Object time) {
        return time == null ? Column.NO_TIME : (Long) time;
    }
}

package dev.sluice.job.lab.corridor;

import dev.sluice.schemas.codec.MessageSchemas;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.jspecify.annotations.Nullable;

/** An IPv4 packet of one Avro record, as a plain object that Flink serializes by its fields. */
public final class PlainPacket {
    static final TypeInformation<PlainPacket> TYPE = TypeInformation.of(PlainPacket.class);

    private static final Schema HEADER = MessageSchemas.current("PacketHeader");
    private static final Schema VERDICT = MessageSchemas.current("Verdict");
    private static final Object OK =
            new GenericData.EnumSymbol(VERDICT.getField("status").schema(), "OK");
    private static final BinaryMessageDecoder<GenericRecord> DECODER =
            new BinaryMessageDecoder<>(GenericData.get(), HEADER);
    private static final BinaryMessageEncoder<GenericRecord> ENCODER =
            new BinaryMessageEncoder<>(GenericData.get(), VERDICT);

    // Flink takes fields that are public and not final.
    public String capture = "";
    public long packet;
    public long timeNs;
    public int source;
    public int destination;
    public int sourcePort;
    public int destinationPort;
    public int protocol;

    /** A packet of zeros; for Flink. */
    public PlainPacket() {}

    /**
     * The packet of a message.
     *
     * @throws IOException if it is no PacketHeader
     */
    static PlainPacket of(byte[] message) throws IOException {
        GenericRecord record = DECODER.decode(message);
        PlainPacket packet = new PlainPacket();
        packet.capture = record.get("capture").toString();
        packet.packet = (Long) record.get("packet");
        packet.timeNs = record.get("timeNs") instanceof Long time ? time : 0;
        packet.source = address(record.get("ipSrc"));
        packet.destination = address(record.get("ipDst"));
        packet.sourcePort = number(record.get("srcPort"));
        packet.destinationPort = number(record.get("dstPort"));
        packet.protocol = number(record.get("ipProto"));
        return packet;
    }

    private static int address(@Nullable Object bytes) {
        return bytes instanceof ByteBuffer b && b.remaining() == Integer.BYTES
                ? b.getInt(b.position())
                : 0;
    }

    private static int number(@Nullable Object value) {
        return value instanceof Integer i ? i : 0;
    }

    /** A number that the packets of a flow share. */
    int flow() {
        int ends = source * 31 + destination;
        return ((ends * 31 + sourcePort) * 31 + destinationPort) * 31 + protocol;
    }

    /**
     * The message of a verdict on it.
     *
     * @param rule number of the rule; null: none matches
     */
    byte[] verdict(@Nullable Long rule) throws IOException {
        GenericRecord record = new GenericData.Record(VERDICT);
        record.put("capture", capture);
        record.put("captureIndex", 0);
        record.put("packet", packet);
        record.put("timeNs", timeNs);
        record.put("ruleId", rule);
        record.put("action", rule == null ? "drop" : "match");
        record.put("version", 1L);
        record.put("history", "");
        record.put("status", OK);
        ByteBuffer message = ENCODER.encode(record);
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }
}

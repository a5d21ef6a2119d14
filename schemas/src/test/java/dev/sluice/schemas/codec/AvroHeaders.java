package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/** Single headers by way of Avro's own reader: what {@link PacketHeaderReader} is held to. */
final class AvroHeaders {
    private AvroHeaders() {}

    /** The block of one header in a decoded message. */
    static PacketBlock block(GenericRecord record, int shards) throws MalformedMessageException {
        if (!record.getSchema().getName().equals("PacketHeader")) {
            throw new MalformedMessageException(
                    DeadLetterReason.WRONG_SCHEMA,
                    "a " + record.getSchema().getName() + " in the packets topic");
        }
        return blockOfOne(record, shards);
    }

    private static PacketBlock blockOfOne(GenericRecord r, int shards)
            throws MalformedMessageException {
        int[] words = new int[HeaderWord.COUNT];
        int ip = 0;
        if (r.get("ipSrc") instanceof ByteBuffer source) {
            ip |= addresses(r, source, words);
        }
        ip |= optional(r, "inPort", words, HeaderWord.IN_PORT, Field.IN_PORT_PRESENT);
        ip |= optional(r, "spi", words, HeaderWord.SPI, Field.SPI_PRESENT);
        if (r.get("frameLength") instanceof Integer frame) {
            words[HeaderWord.FRAME_LENGTH] = frame;
        }
        ip |= optional(r, "tunnelId", words, HeaderWord.TUNNEL_ID, Field.TUNNEL_ID_PRESENT);
        ip |= optional(r, "mark", words, HeaderWord.MARK, Field.MARK_PRESENT);
        ip |=
                optional(
                        r,
                        "inInterface",
                        words,
                        HeaderWord.IN_INTERFACE,
                        Field.IN_INTERFACE_PRESENT);
        ip |=
                optional(
                        r,
                        "outInterface",
                        words,
                        HeaderWord.OUT_INTERFACE,
                        Field.OUT_INTERFACE_PRESENT);
        ip |= mac(r, "ethSrc", words, Field.ETH_SRC, Field.ETH_SRC_PRESENT);
        ip |= mac(r, "ethDst", words, Field.ETH_DST, Field.ETH_DST_PRESENT);
        int type = number(r, "ethType", Field.NO_ETHER_TYPE, 0xffff);
        int ether = Field.ETH_TYPE.place(type);
        if (r.get("vlanId") != null || r.get("vlanPriority") != null) {
            ether |= Field.VLAN_PRESENT.place(1);
            ether |= Field.VLAN_ID.place(number(r, "vlanId", 0, 0xfff));
            ether |= Field.VLAN_PRIORITY.place(number(r, "vlanPriority", 0, 7));
        }
        words[HeaderWord.ETHER] = ether;
        int proto = number(r, "ipProto", 0, 0xff);
        int tos = number(r, "tos", 0, 0xff);
        int fragment = number(r, "fragment", 0, 2);
        if (r.get("ipSrc") != null) {
            ip |= Field.IP_PROTO.place(proto) | Field.TOS.place(tos);
            ip |= Field.FRAGMENT.place(fragment == 2 ? Field.FRAGMENT_LATER : fragment);
            ip |= optional(r, "ipId", words, HeaderWord.IP_ID, Field.IP_ID_PRESENT);
        }
        if (r.get("srcPort") != null || r.get("dstPort") != null) {
            ip |= Field.PORTS_PRESENT.place(1);
            words[HeaderWord.PORTS] =
                    Field.SRC_PORT.place(number(r, "srcPort", 0, 0xffff))
                            | Field.DST_PORT.place(number(r, "dstPort", 0, 0xffff));
        }
        words[HeaderWord.TCP_FLAGS] = number(r, "tcpFlags", 0, 0xfff);
        int ttl = number(r, "ttl", 0, 0xff);
        boolean hasTtl = r.get("ttl") != null && r.get("ipSrc") != null;
        words[HeaderWord.TTL] = hasTtl ? ttl | 0x100 : 0;
        int length = number(r, "ipLength", 0, 0xffff);
        if (r.get("ipLength") != null && r.get("ipSrc") != null) {
            Field.IP_LENGTH.put(words, length);
        }
        int extensions = number(r, "ipv6Extensions", 0, 0x1ff);
        if (r.get("ipv6Extensions") != null && Field.IP_VERSION.extract(ip) == Field.VERSION_6) {
            Field.IPV6_EXTENSIONS.put(words, extensions);
        }
        words[HeaderWord.ARP] = number(r, "arpOp", 0, 0xffff);
        words[HeaderWord.ARP_SPA] = address(r, "arpSpa");
        words[HeaderWord.ARP_TPA] = address(r, "arpTpa");
        if (r.get("arpOp") != null || r.get("arpSpa") != null || r.get("arpTpa") != null) {
            words[HeaderWord.ARP] |= 0x10000;
        }
        int state = number(r, "connectionState", 0, 0xff);
        words[HeaderWord.CONNECTION] = r.get("connectionState") == null ? 0 : state | 0x100;
        words[HeaderWord.IP] = ip;
        flow(r, words);
        List<Column> columns = new ArrayList<>(HeaderWord.COUNT + 2);
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if (words[w] != 0) {
                columns.add(Column.constant(w, words[w] & 0xffffffffL));
            }
        }
        Object time = r.get("timeNs");
        columns.add(Column.constant(Column.PACKET, (Long) r.get("packet")));
        columns.add(Column.constant(Column.TIME_NS, time == null ? Column.NO_TIME : (Long) time));
        return new PacketBlock(
                r.get("capture").toString(),
                (Integer) r.get("captureIndex"),
                FlowShard.FLOW.of(words, shards),
                shards,
                1,
                columns);
    }

    /** The flow of a fragment or an ICMP error, whose address is of the header's IP version. */
    private static void flow(GenericRecord r, int[] words) throws MalformedMessageException {
        int proto = number(r, "flowProto", 0, 0xff);
        if (r.get("ipSrc") == null) {
            return;
        }
        int flags = 0;
        if (r.get("flowProto") != null) {
            flags |= Field.FLOW_PRESENT.place(1) | Field.FLOW_PROTO.place(proto);
        }
        if (r.get("flowDst") instanceof ByteBuffer address) {
            int length = ((ByteBuffer) r.get("ipSrc")).remaining();
            if (address.remaining() != length) {
                throw new MalformedMessageException(
                        DeadLetterReason.HEADER_FIELD,
                        "flowDst: %d bytes are not %d".formatted(address.remaining(), length));
            }
            for (int i = 0; i < length / 4; i++) {
                words[HeaderWord.FLOW_DST + i] = address.getInt(address.position() + 4 * i);
            }
            flags |= Field.FLOW_DST_PRESENT.place(1);
        }
        if (r.get("flowPorts") instanceof Integer ports) {
            words[HeaderWord.FLOW_PORTS] = ports;
            flags |= Field.FLOW_PRESENT.place(1);
        }
        words[HeaderWord.TCP_FLAGS] |= flags;
    }

    private static int addresses(GenericRecord r, ByteBuffer source, int[] words)
            throws MalformedMessageException {
        if (!(r.get("ipDst") instanceof ByteBuffer destination)
                || source.remaining() != destination.remaining()
                || source.remaining() != 4 && source.remaining() != 16) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_ADDRESSES,
                    "ipSrc and ipDst must both have 4 or both 16 bytes");
        }
        if (source.remaining() == 4) {
            words[HeaderWord.IPV4_SRC] = source.getInt(source.position());
            words[HeaderWord.IPV4_DST] = destination.getInt(destination.position());
            return Field.IP_VERSION.place(Field.VERSION_4);
        }
        for (int i = 0; i < 4; i++) {
            words[HeaderWord.IPV6_SRC + i] = source.getInt(source.position() + 4 * i);
            words[HeaderWord.IPV6_DST + i] = destination.getInt(destination.position() + 4 * i);
        }
        return Field.IP_VERSION.place(Field.VERSION_6);
    }

    private static int address(GenericRecord r, String name) throws MalformedMessageException {
        if (!(r.get(name) instanceof ByteBuffer bytes)) {
            return 0;
        }
        if (bytes.remaining() != 4) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_FIELD,
                    name + ": " + bytes.remaining() + " bytes are not 4");
        }
        return bytes.getInt(bytes.position());
    }

    private static int optional(
            GenericRecord r, String name, int[] words, int word, Field presentBit) {
        Object value = r.get(name);
        if (value == null) {
            return 0;
        }
        words[word] = (Integer) value;
        return presentBit.place(1);
    }

    private static int mac(GenericRecord r, String name, int[] words, Field field, Field presentBit)
            throws MalformedMessageException {
        Object value = r.get(name);
        if (value == null) {
            return 0;
        }
        long mac = (Long) value;
        if (mac >>> 48 != 0) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_FIELD, name + ": " + mac + " has more than 48 bits");
        }
        FieldBits.orMac(words, field, mac);
        return presentBit.place(1);
    }

    private static int number(GenericRecord r, String name, int absent, int max)
            throws MalformedMessageException {
        Object value = r.get(name);
        if (value == null) {
            return absent;
        }
        int number = (Integer) value;
        if (number < 0 || number > max) {
            throw new MalformedMessageException(
                    DeadLetterReason.HEADER_FIELD, name + ": " + number + " is not in 0.." + max);
        }
        return number;
    }
}

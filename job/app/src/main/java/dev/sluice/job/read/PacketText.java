package dev.sluice.job.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;

/** Text form of the values of {@link PacketField}s. */
public final class PacketText {
    private PacketText() {}

    /** Finds the field of a name in the schemas of headers and verdicts. */
    static Optional<PacketField> named(String key) {
        for (PacketField field : PacketField.values()) {
            if (field.key().equals(key)) {
                return Optional.of(field);
            }
        }
        return Optional.empty();
    }

    /** Returns a value as JSON: addresses as text, all else as a number. */
    static JsonNode node(PacketField field, Object value) {
        String text = text(field, value);
        return switch (field) {
            case ETH_SRC, ETH_DST, IP_SRC, IP_DST -> JsonNodeFactory.instance.textNode(text);
            default -> JsonNodeFactory.instance.numberNode(Long.parseLong(text));
        };
    }

    /** Returns a value as text: addresses in their usual notation, all else in decimal. */
    public static String text(PacketField field, Object value) {
        StringBuilder text = new StringBuilder();
        switch (field) {
            case ETH_SRC, ETH_DST -> HeaderTable.mac(text, (Long) value);
            case IP_SRC, IP_DST -> address(text, (ByteBuffer) value);
            default -> text.append(((Integer) value) & 0xffffffffL);
        }
        return text.toString();
    }

    private static void address(StringBuilder text, ByteBuffer bytes) {
        int at = bytes.position();
        if (bytes.remaining() == 4) {
            HeaderTable.ipv4(text, bytes.getInt(at));
        } else if (bytes.remaining() == 16) {
            int[] words = new int[4];
            for (int w = 0; w < 4; w++) {
                words[w] = bytes.getInt(at + 4 * w);
            }
            HeaderTable.ipv6(text, words, 0);
        } else {
            text.append(hex(bytes));
        }
    }

    /** Formats bytes as hexadecimal digits. */
    static String hex(ByteBuffer bytes) {
        byte[] all = new byte[bytes.remaining()];
        bytes.duplicate().get(all);
        return HexFormat.of().formatHex(all);
    }
}

package dev.sluice.job.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Text form of the values of {@link PacketField}s. */
public final class PacketText {
    private PacketText() {}

    /** A value in JSON: addresses as text, all else as a number. */
    static JsonNode node(PacketField field, Object value) {
        String text = text(field, value);
        return switch (field.text()) {
            case MAC, ADDRESS -> JsonNodeFactory.instance.textNode(text);
            default -> JsonNodeFactory.instance.numberNode(Long.parseLong(text));
        };
    }

    /** Returns a value as text: addresses in their usual notation, all else in decimal. */
    public static String text(PacketField field, Object value) {
        StringBuilder text = new StringBuilder();
        HeaderTable.value(text, field, value);
        return text.toString();
    }

    /** Bytes as hexadecimal digits. */
    static String hex(ByteBuffer bytes) {
        byte[] all = new byte[bytes.remaining()];
        bytes.duplicate().get(all);
        return HexFormat.of().formatHex(all);
    }
}

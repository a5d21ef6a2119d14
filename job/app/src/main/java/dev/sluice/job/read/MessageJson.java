package dev.sluice.job.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.MessageCodec;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.VerdictBlock;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Messages of Sluice as lines of JSON: place in the topic, key, schema name and fields.
 *
 * <p>Columns of blocks are written as their values, addresses in their usual notation, other bytes
 * as hexadecimal digits. A message that cannot be read is written as its bytes and the reason.
 *
 * @param ids schemas of messages with a registry's framing
 */
public record MessageJson(SchemaIds ids) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Returns the line of a message, without a line end. */
    public String line(ConsumerRecord<byte[], byte[]> message) {
        ObjectNode line = NODES.objectNode();
        line.put("topic", message.topic());
        line.put("partition", message.partition());
        line.put("offset", message.offset());
        line.put("timestamp", Instant.ofEpochMilli(message.timestamp()).toString());
        line.set("key", message.key() == null ? NODES.nullNode() : key(message.key()));
        byte[] value = message.value();
        if (value == null) {
            line.putNull("record");
        } else {
            try {
                byte[] single = ids.singleObject(value);
                GenericRecord record = MessageCodec.decode(single);
                String schema = record.getSchema().getName();
                ObjectNode object = node(record);
                switch (schema) {
                    case "PacketBlock", "PlacedBlock" -> {
                        PacketBlock block = PacketMessages.decode(single, 1);
                        object.set("columns", columns(block.columns(), block.count()));
                    }
                    case "VerdictBlock" -> {
                        VerdictBlock block = VerdictBlock.decode(single);
                        object.set("columns", columns(block.columns(), block.count()));
                    }
                    default -> {} // it has no columns
                }
                line.put("schema", schema).set("record", object);
            } catch (MalformedMessageException e) {
                line.put("unreadable", e.reason());
                line.put("detail", e.detail());
                line.put("bytes", PacketText.hex(ByteBuffer.wrap(value)));
            }
        }
        return line.toString();
    }

    /**
     * Writes a key: four bytes are a flow shard, others text where they are printable, or else
     * bytes.
     */
    private static JsonNode key(byte[] key) {
        ByteBuffer bytes = ByteBuffer.wrap(key);
        if (key.length == Integer.BYTES) {
            return NODES.numberNode(bytes.getInt());
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate()).toString();
            return text.chars().anyMatch(Character::isISOControl)
                    ? bytes(bytes)
                    : NODES.textNode(text);
        } catch (CharacterCodingException e) {
            return bytes(bytes);
        }
    }

    /** Writes a record, but for the columns of a block. */
    private static ObjectNode node(GenericRecord record) {
        ObjectNode object = NODES.objectNode();
        for (Schema.Field field : record.getSchema().getFields()) {
            if (!field.name().equals("columns")) {
                object.set(field.name(), node(field.name(), record.get(field.pos())));
            }
        }
        return object;
    }

    private static JsonNode columns(List<Column> columns, int count) {
        ObjectNode object = NODES.objectNode();
        for (Column column : columns) {
            ArrayNode values = object.putArray(name(column.id()));
            for (int i = 0; i < count; i++) {
                values.add(column.get(i));
            }
        }
        return object;
    }

    private static String name(int column) {
        return switch (column) {
            case Column.PACKET -> "packet";
            case Column.TIME_NS -> "timeNs";
            case Column.FRAME_LENGTH -> "frameLength";
            case Column.RULE -> "rule";
            case Column.VERSION -> "version";
            case Column.STATUS -> "status";
            default ->
                    column < Column.EARLIER
                            ? "word " + column
                            : "earlier " + (1 + column - Column.EARLIER);
        };
    }

    private static JsonNode node(String name, @Nullable Object value) {
        if (value == null) {
            return NODES.nullNode();
        }
        Optional<JsonNode> field = PacketField.named(name).map(f -> PacketText.node(f, value));
        if (field.isPresent()) {
            return field.get();
        }
        if (value instanceof GenericRecord record) {
            return node(record);
        }
        if (value instanceof List<?> items) {
            ArrayNode array = NODES.arrayNode();
            for (Object item : items) {
                array.add(node("", item));
            }
            return array;
        }
        if (value instanceof ByteBuffer bytes) {
            return bytes(bytes);
        }
        return value instanceof Number ? JSON.valueToTree(value) : NODES.textNode(value.toString());
    }

    private static JsonNode bytes(ByteBuffer bytes) {
        return NODES.textNode(PacketText.hex(bytes));
    }
}

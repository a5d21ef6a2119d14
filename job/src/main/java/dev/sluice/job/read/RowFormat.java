package dev.sluice.job.read;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A form of rows: one line each. */
public interface RowFormat {
    /** The line before all rows; null: none. */
    @Nullable String head();

    /** The line of a row, without a line end. */
    String line(VerdictRow row);

    /**
     * Tab-separated lines under a line of names; what is not known is empty.
     *
     * @param fields of packets, each a column
     */
    static RowFormat tsv(List<PacketField> fields) {
        return new Tsv(fields);
    }

    /**
     * JSON objects; what is not known is left out.
     *
     * @param fields of packets that are written where they are known
     */
    static RowFormat json(List<PacketField> fields) {
        return new Json(fields);
    }

    /** See {@link RowFormat#tsv}. */
    record Tsv(List<PacketField> fields) implements RowFormat {
        @Override
        public String head() {
            StringBuilder head =
                    new StringBuilder(
                            "capture\tpacket\ttime_ns\trule_id\trule\tpriority\taction\tversion\tstatus");
            for (PacketField field : fields) {
                head.append('\t').append(field.label().replace('-', '_'));
            }
            return head.append("\ttext").toString();
        }

        @Override
        public String line(VerdictRow row) {
            RuleFacts rule = row.rule();
            StringBuilder line = new StringBuilder(128);
            line.append(cell(row.capture())).append('\t').append(row.packet()).append('\t');
            if (row.timeNs() != Column.NO_TIME) {
                line.append(row.timeNs());
            }
            cell(line, row.ruleId());
            cell(line, rule.line());
            cell(line, rule.priority());
            line.append('\t').append(cell(row.action()));
            line.append('\t').append(row.version());
            line.append('\t').append(row.status().label());
            for (PacketField field : fields) {
                Object value = row.fields().get(field);
                cell(line, value == null ? null : PacketText.text(field, value));
            }
            return line.append('\t').append(cell(rule.text())).toString();
        }

        private static void cell(StringBuilder line, @Nullable Object value) {
            line.append('\t');
            if (value != null) {
                line.append(value);
            }
        }

        /** A text as a cell: what would break the table becomes a blank. */
        private static String cell(String text) {
            return text.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
        }
    }

    /** See {@link RowFormat#json}. */
    record Json(List<PacketField> fields) implements RowFormat {
        private static final ObjectMapper JSON = new ObjectMapper();

        @Override
        public @Nullable String head() {
            return null;
        }

        @Override
        public String line(VerdictRow row) {
            RuleFacts rule = row.rule();
            ObjectNode object = JSON.createObjectNode();
            object.put("capture", row.capture()).put("packet", row.packet());
            if (row.timeNs() != Column.NO_TIME) {
                object.put("timeNs", row.timeNs());
            }
            if (row.ruleId() != null) {
                object.put("ruleId", row.ruleId());
            }
            if (rule.line() != null) {
                object.put("line", rule.line());
            }
            if (rule.priority() != null) {
                object.put("priority", rule.priority());
            }
            if (!row.action().isEmpty()) {
                object.put("action", row.action());
            }
            object.put("version", row.version()).put("status", row.status().label());
            for (PacketField field : fields) {
                Object value = row.fields().get(field);
                if (value != null) {
                    object.set(field.key(), PacketText.node(field, value));
                }
            }
            if (!rule.text().isEmpty()) {
                object.put("text", rule.text());
            }
            return write(object);
        }

        private static String write(ObjectNode object) {
            try {
                return JSON.writeValueAsString(object);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a tree of texts and numbers has no JSON", e);
            }
        }
    }
}

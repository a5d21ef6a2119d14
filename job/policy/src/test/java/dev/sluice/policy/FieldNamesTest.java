package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldLayer;
import dev.sluice.schemas.header.FieldNamer;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.FieldText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Importers take the fields that the table says they name, and the page of fields lists them. */
class FieldNamesTest {
    private static final String FORGOTTEN = "add it to FlowFields.field";

    /** The page's words for the constants of a row. */
    private static final Map<Enum<?>, String> WORDS =
            Map.ofEntries(
                    Map.entry(FieldNamer.OPENFLOW, "OpenFlow"),
                    Map.entry(FieldNamer.CLASSBENCH, "ClassBench"),
                    Map.entry(FieldNamer.TRACE, "traces"),
                    Map.entry(FieldText.NUMBER, "decimal"),
                    Map.entry(FieldText.HEX, "decimal; by `sluice headers` hexadecimal"),
                    Map.entry(FieldText.MAC, "MAC address"),
                    Map.entry(FieldText.ADDRESS, "IP address"),
                    Map.entry(FieldText.FRAGMENT, "0; 1 first, 2 later fragment"),
                    Map.entry(FieldSource.ALWAYS, "all captures"),
                    Map.entry(FieldSource.ASKED, "captures, where asked for"),
                    Map.entry(FieldSource.MESSAGES, "messages only"));

    @TempDir Path folder;

    private static List<Field> namedBy(FieldNamer namer) {
        return Arrays.stream(Field.values()).filter(field -> field.isNamedBy(namer)).toList();
    }

    private static boolean isKnownToFlows(Field field) {
        try {
            RuleText.parse(field.label() + "=zz actions=drop");
            return true;
        } catch (SluiceException e) {
            return !e.getMessage().contains("do not carry")
                    && !e.getMessage().contains("is not a match field")
                    && !e.getMessage().contains("which no capture states");
        }
    }

    @Test
    void flowsNameTheFieldsOfTheTable() {
        for (Field field : Field.values()) {
            boolean present = field.avro().isEmpty();
            if (!present) {
                assertEquals(
                        field.isNamedBy(FieldNamer.OPENFLOW),
                        isKnownToFlows(field),
                        field.label() + ": " + FORGOTTEN + ", or take OPENFLOW from its row");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nw_ttl=3 actions=drop | 'nw_ttl': lacks its prerequisite",
                "ip,arp_op=1 actions=drop | 'arp_op': lacks its prerequisite",
                "arp,arp_op=256 actions=drop | '256': is beyond 255",
                "arp,arp_spa=10.0.0.300 actions=drop | is not an IPv4 address"
            })
    void aFlowThatNamesAFieldWronglyIsRefusedWithTheReason(String flow, String reason) {
        String message =
                assertThrows(SluiceException.class, () -> RuleText.parse(flow)).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void aTraceHasAColumnOfEveryFieldThatNamesIt() throws IOException {
        List<String> names = new ArrayList<>();
        List<String> cells = new ArrayList<>();
        for (Field field : namedBy(FieldNamer.TRACE)) {
            names.add(field.label());
            cells.add(
                    field.bits() == 48
                            ? "02:00:00:00:00:05"
                            : field.bits() == 128
                                    ? "::5"
                                    : field.equals(Field.ETH_TYPE)
                                            ? "0x0800"
                                            : field.text() == FieldText.ADDRESS ? "0.0.0.5" : "5");
        }
        cells.set(names.indexOf("nw_proto"), "6");
        Path trace = folder.resolve("trace.tsv");
        Files.writeString(trace, String.join("\t", names) + "\n" + String.join("\t", cells) + "\n");
        int[] words = HeaderTrace.read(trace).header(0);
        for (Field field : namedBy(FieldNamer.TRACE)) {
            if (field.layer() != FieldLayer.IPV6) {
                assertTrue(FieldBits.isIn(words, field), field.label());
            }
            Object value = FieldBits.value(words, field);
            long number =
                    value instanceof ByteBuffer bytes
                            ? bytes.get(bytes.limit() - 1)
                            : ((Number) value).longValue() & 0xff;
            if (!field.equals(Field.ETH_TYPE) && !field.equals(Field.IP_PROTO)) {
                assertEquals(5, number, field.label());
            }
        }
        assertFalse(names.isEmpty());
    }

    /** The rows of the page's table, as the table of fields has them. */
    private static List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (Field field : Field.values()) {
            if (field.avro().isEmpty()) {
                continue;
            }
            String namers =
                    String.join(
                            ", ",
                            Arrays.stream(FieldNamer.values())
                                    .filter(field::isNamedBy)
                                    .map(WORDS::get)
                                    .toList());
            int last = field.word() + field.words() - 1;
            rows.add(
                    "| `%s` | `%s` | `%s` | %d | %s | %s | %s | %s |"
                            .formatted(
                                    field.label(),
                                    field.avro(),
                                    PacketField.of(field).label(),
                                    field.bits(),
                                    last == field.word() ? "" + last : field.word() + " to " + last,
                                    WORDS.get(field.text()),
                                    namers.isEmpty() ? "none yet" : namers,
                                    WORDS.get(field.source())));
        }
        return rows;
    }

    @Test
    void thePageListsTheTable() throws IOException {
        List<String> listed =
                Files.readAllLines(Path.of("../../docs/fields.md")).stream()
                        .filter(line -> line.matches("\\| `[a-z0-9_]+` \\|.*"))
                        .toList();
        assertEquals(String.join("\n", rows()), String.join("\n", listed));
    }
}

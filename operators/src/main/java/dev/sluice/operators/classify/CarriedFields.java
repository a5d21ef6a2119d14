package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes what travels with verdicts out of packet blocks. Not thread-safe. */
final class CarriedFields {
    private final List<PacketField> fields;

    /** Header words that hold the fields: bit w for word w. */
    private final long wordBits;

    private final int[] header = new int[HeaderWord.COUNT];

    CarriedFields(VerdictFields chosen) {
        this.fields = chosen.fields();
        this.wordBits = chosen.wordBits();
    }

    /**
     * The block's own columns that hold the fields; words that it lacks are 0 throughout.
     *
     * @param states words of the connections' states, which stand for the block's own; null: none
     * @param all whether the columns are those of all fields, and not of the states alone
     */
    List<Column> columns(PacketBlock block, int @Nullable [] states, boolean all) {
        List<Column> columns = new ArrayList<>();
        for (long bits = wordBits; bits != 0; bits &= bits - 1) {
            int word = Long.numberOfTrailingZeros(bits);
            if (word == HeaderWord.CONNECTION && states != null) {
                columns.add(Column.ofWords(word, states, 0, states.length));
                continue;
            }
            if (!all) {
                continue;
            }
            Column column = block.column(word);
            columns.add(column == null ? Column.constant(word, 0) : column);
        }
        return columns;
    }

    /** The fields of one packet, out of columns of {@link #columns}. */
    Map<PacketField, Object> values(List<Column> columns, int packet) {
        Map<PacketField, Object> values = new LinkedHashMap<>();
        for (Column column : columns) {
            header[column.id()] = (int) column.get(packet);
        }
        for (PacketField field : fields) {
            Object value = field.value(header);
            if (value != null) {
                values.put(field, value);
            }
        }
        return values;
    }
}

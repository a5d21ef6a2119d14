package dev.sluice.job.archive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.impl.ColumnWriteStoreV1;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/**
 * Parquet file of a flat table in progress: row groups of columns of pages, and a footer with their
 * positions.
 *
 * <p>Parquet's library encodes the columns. Its writer of files needs Hadoop's classes, so this
 * class lays out the file.
 *
 * <p>A row group is in memory until it is full. Not thread-safe.
 */
final class ParquetFile {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /** Key under which readers of Avro records look for their schema. */
    private static final String AVRO_SCHEMA = "parquet.avro.schema";

    /**
     * Number of rows between two checks of a row group's size, since a check visits each column.
     */
    private static final int ROWS_A_CHECK = 4096;

    private final FSDataOutputStream out;
    private final Schema schema;
    private final MessageType table;
    private final ParquetProperties encodings;
    private final long rowGroupBytes;
    private final List<RowGroup> rowGroups = new ArrayList<>();
    private final ColumnWriter[] writers;
    private final int[] levels;
    private Map<String, ParquetColumn> columns;
    private ColumnWriteStore rowGroup;
    private long rows;
    private long rowsBefore;

    /**
     * Begins a file.
     *
     * @param out takes the file, and is left open
     * @param schema a record of numbers and strings that may be null
     * @param inRowOrder columns whose values seldom repeat and grow in small steps: encoded as
     *     differences
     * @param rowGroupBytes encoded size at which a row group is written
     */
    ParquetFile(FSDataOutputStream out, Schema schema, List<String> inRowOrder, long rowGroupBytes)
            throws IOException {
        this.out = out;
        this.schema = schema;
        this.rowGroupBytes = rowGroupBytes;
        table =
                new MessageType(
                        schema.getName(),
                        schema.getFields().stream().map(ParquetFile::column).toList());
        ParquetProperties.Builder properties =
                ParquetProperties.builder()
                        .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_2_0);
        inRowOrder.forEach(name -> properties.withDictionaryEncoding(name, false));
        encodings = properties.build();
        writers = new ColumnWriter[table.getFieldCount()];
        levels = new int[writers.length];
        columns = columns();
        rowGroup = begin();
        out.write(MAGIC);
    }

    private static org.apache.parquet.schema.Type column(Schema.Field field) {
        Schema value = field.schema();
        Repetition repetition = Repetition.REQUIRED;
        if (value.getType() == Schema.Type.UNION) {
            repetition = Repetition.OPTIONAL;
            value = value.getTypes().get(1); // the first is null
        }
        return switch (value.getType()) {
            case INT -> Types.primitive(PrimitiveTypeName.INT32, repetition).named(field.name());
            case LONG -> Types.primitive(PrimitiveTypeName.INT64, repetition).named(field.name());
            case STRING ->
                    Types.primitive(PrimitiveTypeName.BINARY, repetition)
                            .as(LogicalTypeAnnotation.stringType())
                            .named(field.name());
            default -> throw new IllegalArgumentException(field + " is no column");
        };
    }

    private static org.apache.parquet.format.Type stored(PrimitiveType type) {
        return type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY
                ? org.apache.parquet.format.Type.BYTE_ARRAY
                : org.apache.parquet.format.Type.valueOf(type.getPrimitiveTypeName().name());
    }

    private Map<String, ParquetColumn> columns() {
        Map<String, ParquetColumn> made = new LinkedHashMap<>();
        for (ColumnDescriptor column : table.getColumns()) {
            String name = column.getPath()[0];
            made.put(name, new ParquetColumn(name, stored(column.getPrimitiveType())));
        }
        return made;
    }

    private ColumnWriteStore begin() {
        ColumnWriteStore store =
                new ColumnWriteStoreV1(
                        table, column -> columns.get(column.getPath()[0]), encodings);
        for (int i = 0; i < writers.length; i++) {
            ColumnDescriptor column = table.getColumns().get(i);
            writers[i] = store.getColumnWriter(column);
            levels[i] = column.getMaxDefinitionLevel();
        }
        return store;
    }

    /** Puts a value of the present row. */
    void put(int column, int value) {
        writers[column].write(value, 0, levels[column]);
    }

    /** Puts a value of the present row. */
    void put(int column, long value) {
        writers[column].write(value, 0, levels[column]);
    }

    /** Puts a value of the present row. */
    void put(int column, Binary value) {
        writers[column].write(value, 0, levels[column]);
    }

    /** Puts null as a value of the present row. */
    void putNull(int column) {
        writers[column].writeNull(0, 0);
    }

    /** Ends a row, each of whose columns has been put. */
    void endRow() throws IOException {
        rowGroup.endRecord();
        rows++;
        if (rows % ROWS_A_CHECK == 0 && rowGroup.getBufferedSize() >= rowGroupBytes) {
            endRowGroup();
            columns = columns();
            rowGroup = begin();
        }
    }

    private void endRowGroup() throws IOException {
        rowGroup.close(); // emits its last pages
        if (rows == rowsBefore) {
            return;
        }
        long start = out.getPos();
        List<ColumnChunk> chunks = new ArrayList<>();
        for (ParquetColumn column : columns.values()) {
            chunks.add(column.writeTo(out));
        }
        long uncompressed = 0;
        long compressed = 0;
        for (ColumnChunk chunk : chunks) {
            uncompressed += chunk.getMeta_data().getTotal_uncompressed_size();
            compressed += chunk.getMeta_data().getTotal_compressed_size();
        }
        rowGroups.add(
                new RowGroup(chunks, uncompressed, rows - rowsBefore)
                        .setFile_offset(start)
                        .setTotal_compressed_size(compressed));
        rowsBefore = rows;
    }

    /** Writes the last row group and the footer. */
    void finish() throws IOException {
        endRowGroup();
        FileMetaData footer = new FileMetaData(1, elements(), rows, rowGroups);
        footer.setCreated_by("sluice");
        footer.addToKey_value_metadata(new KeyValue(AVRO_SCHEMA).setValue(schema.toString()));
        footer.setColumn_orders(
                Collections.nCopies(
                        writers.length, ColumnOrder.TYPE_ORDER(new TypeDefinedOrder())));
        long start = out.getPos();
        Util.writeFileMetaData(footer, out);
        int length = Math.toIntExact(out.getPos() - start);
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            out.write(length >>> shift);
        }
        out.write(MAGIC);
    }

    private List<SchemaElement> elements() {
        List<SchemaElement> elements = new ArrayList<>();
        elements.add(new SchemaElement(table.getName()).setNum_children(writers.length));
        for (ColumnDescriptor column : table.getColumns()) {
            PrimitiveType type = column.getPrimitiveType();
            SchemaElement element =
                    new SchemaElement(type.getName())
                            .setType(stored(type))
                            .setRepetition_type(
                                    FieldRepetitionType.valueOf(type.getRepetition().name()));
            if (type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY) {
                element.setConverted_type(ConvertedType.UTF8);
                element.setLogicalType(LogicalType.STRING(new StringType()));
            }
            elements.add(element);
        }
        return elements;
    }
}

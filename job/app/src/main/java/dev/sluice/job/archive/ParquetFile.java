package dev.sluice.job.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.impl.ColumnWriteStoreV1;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/**
 * Parquet file of a flat table in progress, by the classes of Parquet's library that need nothing
 * of Hadoop's.
 *
 * <p>A row group is in memory until it is full. Not thread-safe.
 */
final class ParquetFile {
    /** Key under which readers of Avro records look for their schema. */
    private static final String AVRO_SCHEMA = "parquet.avro.schema";

    /**
     * Number of rows between two checks of a row group's size, since a check visits each column.
     */
    private static final int ROWS_A_CHECK = 4096;

    private final ParquetFileWriter file;
    private final Schema schema;
    private final MessageType table;
    private final ParquetProperties encodings;
    private final long rowGroupBytes;
    private final ColumnWriter[] writers;
    private final int[] levels;
    private ColumnChunkPageWriteStore pages;
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
    @SuppressWarnings("deprecation") // at other constructors the compiler looks for Hadoop
    ParquetFile(FSDataOutputStream out, Schema schema, List<String> inRowOrder, long rowGroupBytes)
            throws IOException {
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
        file =
                new ParquetFileWriter(
                        new Output(out), table, ParquetFileWriter.Mode.CREATE, rowGroupBytes, 0);
        file.start();
        pages = pages();
        rowGroup = begin();
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

    private ColumnChunkPageWriteStore pages() {
        return new ColumnChunkPageWriteStore(
                new Gzip(),
                table,
                HeapByteBufferAllocator.getInstance(),
                encodings.getColumnIndexTruncateLength(),
                encodings.getPageWriteChecksumEnabled());
    }

    private ColumnWriteStore begin() {
        ColumnWriteStore store = new ColumnWriteStoreV1(table, pages, encodings);
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
            pages = pages();
            rowGroup = begin();
        }
    }

    private void endRowGroup() throws IOException {
        rowGroup.close(); // emits its last pages
        if (rows > rowsBefore) {
            file.startBlock(rows - rowsBefore);
            pages.flushToFileWriter(file);
            file.endBlock();
            rowsBefore = rows;
        }
        pages.close();
    }

    /** Writes the last row group and the footer. */
    void finish() throws IOException {
        endRowGroup();
        file.end(Map.of(AVRO_SCHEMA, schema.toString()));
    }

    /** Compressor by gzip, which the JDK provides and each reader of Parquet supports. */
    private static final class Gzip implements BytesInputCompressor {
        /** Level of compression: fast, since repetitions are encoded before. */
        private static final int COMPRESSION = 1;

        @Override
        public BytesInput compress(BytesInput page) throws IOException {
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            try (GZIPOutputStream out =
                    new GZIPOutputStream(compressed) {
                        {
                            def.setLevel(COMPRESSION);
                        }
                    }) {
                page.writeAllTo(out);
            }
            return BytesInput.from(compressed);
        }

        @Override
        public CompressionCodecName getCodecName() {
            return CompressionCodecName.GZIP;
        }

        @Override
        public void release() {}
    }

    /** Stream of Flink's as a file of Parquet's, which leaves the stream open. */
    private record Output(FSDataOutputStream out) implements OutputFile {
        @Override
        public PositionOutputStream create(long blockBytes) {
            return new PositionOutputStream() {
                @Override
                public long getPos() throws IOException {
                    return out.getPos();
                }

                @Override
                public void write(int one) throws IOException {
                    out.write(one);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    out.write(bytes, from, length);
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockBytes) {
            return create(blockBytes);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }
}

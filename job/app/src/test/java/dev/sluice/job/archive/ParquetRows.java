package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.util.ChildFirstClassLoader;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;

/**
 * Reads Parquet's files by Parquet's own reader. It and the classes of Hadoop that it needs are in
 * a class loader of their own: where Flink finds these, it sets Hadoop's security up.
 */
final class ParquetRows {
    /** What job/pom.xml copies the reader to. */
    private static final Path READER = Path.of("target/parquet-reader");

    private ParquetRows() {}

    /** The records of a file. */
    static List<GenericRecord> of(Path file) throws IOException {
        List<URL> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(READER, "*.jar")) {
            for (Path jar : files) {
                jars.add(jar.toUri().toURL());
            }
        }
        assertEquals(4, jars.size(), "jars in " + READER + "; run Maven's process-test-resources");
        try (URLClassLoader loader =
                new ChildFirstClassLoader(
                        jars.toArray(URL[]::new),
                        ParquetRows.class.getClassLoader(),
                        new String[] {"java."},
                        failure -> {})) {
            return read(file, loader);
        } catch (ReflectiveOperationException e) {
            throw new IOException(file + " cannot be read", e);
        }
    }

    private static List<GenericRecord> read(Path file, ClassLoader loader)
            throws IOException, ReflectiveOperationException {
        Class<?> readers = loader.loadClass("org.apache.parquet.avro.AvroParquetReader");
        Object builder =
                readers.getMethod("builder", InputFile.class, ParquetConfiguration.class)
                        .invoke(null, new LocalInputFile(file), new PlainParquetConfiguration());
        builder.getClass()
                .getMethod("withDataModel", GenericData.class)
                .invoke(builder, GenericData.get());
        builder.getClass()
                .getMethod("withCodecFactory", CompressionCodecFactory.class)
                .invoke(builder, new Gunzip());
        List<GenericRecord> records = new ArrayList<>();
        try (Closeable reader = (Closeable) builder.getClass().getMethod("build").invoke(builder)) {
            Method read = reader.getClass().getMethod("read");
            Object record = read.invoke(reader);
            while (record != null) {
                records.add((GenericRecord) record);
                record = read.invoke(reader);
            }
        }
        return records;
    }

    /** Gunzips by Java alone: the reader's own codec wants more of Hadoop. */
    private static final class Gunzip implements CompressionCodecFactory, BytesInputDecompressor {
        @Override
        public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
            assertEquals(CompressionCodecName.GZIP, codec);
            return this;
        }

        @Override
        public BytesInput decompress(BytesInput page, int decompressedSize) throws IOException {
            try (GZIPInputStream in = new GZIPInputStream(page.toInputStream())) {
                byte[] bytes = in.readAllBytes();
                assertEquals(decompressedSize, bytes.length);
                return BytesInput.from(bytes);
            }
        }

        @Override
        public void decompress(ByteBuffer in, int size, ByteBuffer out, int decompressedSize) {
            throw new UnsupportedOperationException("only pages on the heap are read here");
        }

        @Override
        public BytesInputCompressor getCompressor(CompressionCodecName codec) {
            throw new UnsupportedOperationException("this only reads");
        }

        @Override
        public void release() {}
    }
}

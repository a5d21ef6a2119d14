package dev.sluice.job.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.ConcatenatingByteBufferCollector;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * Compressed pages of a column of one row group, kept until the row group is written. They use
 * gzip, which the JDK provides and each reader of Parquet supports.
 */
final class ParquetColumn implements PageWriter {
    /** Level of compression: fast, since repetitions are encoded before. */
    private static final int COMPRESSION = 1;

    private final String name;
    private final org.apache.parquet.format.Type type;
    private final ConcatenatingByteBufferCollector dictionary = collector();
    private final ConcatenatingByteBufferCollector pages = collector();
    private final Set<org.apache.parquet.format.Encoding> encodings =
            EnumSet.noneOf(org.apache.parquet.format.Encoding.class);
    private @Nullable Statistics<?> statistics;
    private long values;
    private long uncompressedBytes;

    ParquetColumn(String name, org.apache.parquet.format.Type type) {
        this.name = name;
        this.type = type;
    }

    private static ConcatenatingByteBufferCollector collector() {
        return new ConcatenatingByteBufferCollector(HeapByteBufferAllocator.getInstance());
    }

    /**
     * Writes the pages.
     *
     * @return the column's metadata for the footer
     */
    ColumnChunk writeTo(FSDataOutputStream out) throws IOException {
        long start = out.getPos();
        dictionary.writeAllTo(out);
        pages.writeAllTo(out);
        ColumnMetaData told =
                new ColumnMetaData(
                        type,
                        new ArrayList<>(encodings),
                        List.of(name),
                        CompressionCodec.GZIP,
                        values,
                        uncompressedBytes,
                        dictionary.size() + pages.size(),
                        start + dictionary.size());
        if (dictionary.size() > 0) {
            told.setDictionary_page_offset(start);
        }
        if (statistics != null && !statistics.isEmpty()) {
            told.setStatistics(told(statistics));
        }
        return new ColumnChunk(0).setMeta_data(told);
    }

    private static org.apache.parquet.format.Statistics told(Statistics<?> statistics) {
        org.apache.parquet.format.Statistics told = new org.apache.parquet.format.Statistics();
        told.setNull_count(statistics.getNumNulls());
        if (statistics.hasNonNullValue()) {
            told.setMin_value(statistics.getMinBytes());
            told.setMax_value(statistics.getMaxBytes());
        }
        return told;
    }

    private org.apache.parquet.format.Encoding used(Encoding encoding) {
        org.apache.parquet.format.Encoding used =
                org.apache.parquet.format.Encoding.valueOf(encoding.name());
        encodings.add(used);
        return used;
    }

    /** Adds a page after its header, in which this method sets the sizes. */
    private void add(PageHeader header, BytesInput page, ConcatenatingByteBufferCollector to)
            throws IOException {
        byte[] compressed = compress(page);
        CRC32 crc = new CRC32();
        crc.update(compressed);
        header.setUncompressed_page_size(Math.toIntExact(page.size()));
        header.setCompressed_page_size(compressed.length);
        header.setCrc((int) crc.getValue());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Util.writePageHeader(header, bytes);
        uncompressedBytes += bytes.size() + page.size();
        to.collect(BytesInput.concat(BytesInput.from(bytes), BytesInput.from(compressed)));
    }

    private static byte[] compress(BytesInput page) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream out =
                new GZIPOutputStream(compressed) {
                    {
                        def.setLevel(COMPRESSION);
                    }
                }) {
            page.writeAllTo(out);
        }
        return compressed.toByteArray();
    }

    @Override
    public void writePage(
            BytesInput page,
            int valueCount,
            int rowCount,
            Statistics<?> ofPage,
            SizeStatistics sizes,
            Encoding repetition,
            Encoding definition,
            Encoding encoding)
            throws IOException {
        writePage(page, valueCount, rowCount, ofPage, repetition, definition, encoding);
    }

    @Override
    public void writePage(
            BytesInput page,
            int valueCount,
            int rowCount,
            Statistics<?> ofPage,
            Encoding repetition,
            Encoding definition,
            Encoding encoding)
            throws IOException {
        PageHeader header = new PageHeader();
        header.setType(PageType.DATA_PAGE);
        header.setData_page_header(
                new DataPageHeader(valueCount, used(encoding), used(definition), used(repetition)));
        add(header, page, pages);
        values += valueCount;
        if (statistics == null) {
            statistics = ofPage.copy();
        } else {
            statistics.mergeStatistics(ofPage);
        }
    }

    /** Throws; only writers of older versions call it. */
    @Deprecated
    @Override
    public void writePage(
            BytesInput page,
            int valueCount,
            Statistics<?> ofPage,
            Encoding repetition,
            Encoding definition,
            Encoding encoding) {
        throw new UnsupportedOperationException("a page without its number of rows");
    }

    /** Throws; pages have the first version, which all readers know. */
    @Override
    public void writePageV2(
            int rowCount,
            int nullCount,
            int valueCount,
            BytesInput repetition,
            BytesInput definition,
            Encoding encoding,
            BytesInput page,
            Statistics<?> ofPage) {
        throw new UnsupportedOperationException("a page of version 2");
    }

    @Override
    public void writeDictionaryPage(DictionaryPage page) throws IOException {
        PageHeader header = new PageHeader();
        header.setType(PageType.DICTIONARY_PAGE);
        header.setDictionary_page_header(
                new DictionaryPageHeader(page.getDictionarySize(), used(page.getEncoding())));
        add(header, page.getBytes(), dictionary);
    }

    @Override
    public long getMemSize() {
        return dictionary.size() + pages.size();
    }

    @Override
    public long allocatedSize() {
        return getMemSize();
    }

    @Override
    public String memUsageString(String prefix) {
        return prefix + " " + name + ": " + getMemSize() + " bytes";
    }
}

package dev.sluice.policy;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldNamer;
import dev.sluice.schemas.header.FieldText;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Headers from a trace file, gzip'd or not: ClassBench lines (source, destination, two ports,
 * protocol; further columns are not read), IPv4 as numbers or IPv6 as text, or a TSV whose header
 * line names OpenFlow fields. Every header is taken to have ports, as the rules of these
 * collections are matched field by field.
 */
public final class HeaderTrace {
    private final List<int[]> headers = new ArrayList<>();

    /** Takes a trace's headers one by one. */
    public interface Sink {
        /**
         * Takes a header.
         *
         * @param words {@link HeaderWord#COUNT} words, which are the sink's
         * @return whether it wants more
         */
        boolean header(int[] words);
    }

    private HeaderTrace() {}

    /** Headers that were made elsewhere: {@link HeaderWord#COUNT} words each. */
    public static HeaderTrace of(List<int[]> headers) {
        HeaderTrace trace = new HeaderTrace();
        trace.headers.addAll(headers);
        return trace;
    }

    /** Number of headers. */
    public int size() {
        return headers.size();
    }

    /** {@link HeaderWord#COUNT} words of a header. */
    public int[] header(int i) {
        return headers.get(i);
    }

    /** All headers as batches of a layout. */
    public List<HeaderBatch> batches(HeaderLayout layout, int batchSize) {
        List<HeaderBatch> batches = new ArrayList<>();
        for (int from = 0; from < headers.size(); from += batchSize) {
            HeaderBatch batch = new HeaderBatch(layout, batchSize);
            for (int[] header : headers.subList(from, Math.min(headers.size(), from + batchSize))) {
                batch.add(header);
            }
            batches.add(batch);
        }
        return batches;
    }

    /**
     * Reads a trace.
     *
     * @throws SluiceException naming the first defect with file, line, column and remedy
     */
    public static HeaderTrace read(Path file) {
        HeaderTrace trace = new HeaderTrace();
        each(file, trace.headers::add);
        return trace;
    }

    /**
     * Reads a trace header by header, in memory for one of them, until its end or until no more is
     * wanted.
     *
     * @throws SluiceException naming the first defect with file, line, column and remedy; every
     *     header before it was given
     */
    public static void each(Path file, Sink sink) {
        int number = 0;
        boolean any = false;
        try (BufferedReader in = TextFiles.open(file)) {
            String[] columns = null;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                if (line.isBlank()) {
                    continue;
                }
                if (number == 1 && Character.isLetter(line.charAt(0)) && line.indexOf(':') < 0) {
                    columns = line.strip().split("\t");
                    checkColumns(columns);
                    continue;
                }
                any = true;
                if (!sink.header(columns == null ? classBench(line) : openFlow(line, columns))) {
                    return;
                }
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("trace", file, e), e);
        } catch (RuleSyntaxException e) {
            throw new SluiceException(
                    file + ":" + number + ":" + e.column() + ": " + e.getMessage(), e);
        }
        if (!any) {
            throw new SluiceException(file + ": holds no header; write one a line");
        }
    }

    private static int[] classBench(String line) throws RuleSyntaxException {
        LineScanner in = new LineScanner(line);
        String[] words = new String[5];
        int[] at = new int[5];
        for (int i = 0; i < 5; i++) {
            in.skip(" \t\r");
            words[i] = in.until(" \t\r");
            at[i] = in.column();
            if (words[i].isEmpty()) {
                throw new RuleSyntaxException(
                        in.column(),
                        "end of line",
                        "a header needs source, destination, two ports and protocol");
            }
        }
        int[] h = new int[HeaderWord.COUNT];
        if (words[0].indexOf(':') >= 0) {
            FieldBits.orIpv6(h, Field.IPV6_SRC, Literals.ipv6(words[0], at[0]));
            FieldBits.orIpv6(h, Field.IPV6_DST, Literals.ipv6(words[1], at[1]));
            ip(h, Field.VERSION_6, 0x86dd);
        } else {
            h[HeaderWord.IPV4_SRC] = (int) Literals.number(words[0], at[0], 0xffffffffL);
            h[HeaderWord.IPV4_DST] = (int) Literals.number(words[1], at[1], 0xffffffffL);
            ip(h, Field.VERSION_4, 0x0800);
        }
        h[HeaderWord.PORTS] =
                (int) Literals.number(words[2], at[2], 0xffff) << 16
                        | (int) Literals.number(words[3], at[3], 0xffff);
        h[HeaderWord.IP] |=
                Field.PORTS_PRESENT.place(1)
                        | Field.IP_PROTO.place((int) Literals.number(words[4], at[4], 0xff));
        return h;
    }

    private static void ip(int[] h, int version, int etherType) {
        h[HeaderWord.IP] |= Field.IP_VERSION.place(version);
        h[HeaderWord.ETHER] |= Field.ETH_TYPE.place(etherType);
    }

    private static final List<String> COLUMNS =
            Arrays.stream(Field.values())
                    .filter(field -> field.isNamedBy(FieldNamer.TRACE))
                    .map(Field::label)
                    .toList();

    private static void checkColumns(String[] columns) throws RuleSyntaxException {
        int at = 1;
        for (String column : columns) {
            if (!COLUMNS.contains(column)) {
                throw new RuleSyntaxException(
                        at,
                        column,
                        "is not a column of a trace; there are " + String.join(" ", COLUMNS));
            }
            at += column.length() + 1;
        }
        if (Arrays.stream(columns).distinct().count() != columns.length) {
            throw new RuleSyntaxException(1, String.join(" ", columns), "names a column twice");
        }
    }

    private static int[] openFlow(String line, String[] columns) throws RuleSyntaxException {
        int[] h = new int[HeaderWord.COUNT];
        h[HeaderWord.IP] = Field.PORTS_PRESENT.place(1);
        LineScanner in = new LineScanner(line);
        boolean untagged = true;
        for (String column : columns) {
            String cell = in.until("\t\r");
            int at = in.column();
            in.take('\t');
            Field field = Field.labelled(column).orElseThrow();
            if (field.equals(Field.ETH_TYPE)) {
                int type = (int) Literals.number(cell, at, 0xffff);
                ip(
                        h,
                        type == 0x0800 ? Field.VERSION_4 : type == 0x86dd ? Field.VERSION_6 : 0,
                        type);
            } else if (field.equals(Field.VLAN_ID)) {
                int vlan = (int) Literals.number(cell, at, 0xffff);
                untagged = vlan == 0xffff;
                if (!untagged && vlan > 0xfff) {
                    throw new RuleSyntaxException(
                            at, cell, "is beyond 4095; an untagged packet has 65535");
                }
                field.put(h, vlan);
            } else if (field.bits() == 48) {
                FieldBits.orMac(h, field, Literals.mac(cell, at));
                field.markPresent(h);
            } else if (field.bits() == 128) {
                FieldBits.orIpv6(h, field, Literals.ipv6(cell, at));
            } else if (field.text() == FieldText.ADDRESS) {
                field.put(h, address(cell, at));
            } else {
                long most = field.extract(-1) & 0xffffffffL;
                field.put(h, (int) Literals.number(cell, at, most));
            }
        }
        if (untagged) {
            h[HeaderWord.ETHER] &= ~0xffff;
        }
        return h;
    }

    /** Dotted, or 0 where the packet has none. */
    private static int address(String cell, int column) throws RuleSyntaxException {
        return cell.indexOf('.') < 0
                ? (int) Literals.number(cell, column, 0xffffffffL)
                : Literals.ipv4(cell, column);
    }
}

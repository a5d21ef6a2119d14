package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/**
 * Fields of rules and headers as words of a story: {@code nw_proto=6}, {@code nw_src=10.0.0.0/8},
 * {@code tp_dst=80-90}, {@code nw_tos=0x10/0xfc}. A field is one of {@link Field} that lies within
 * one header word, or a whole header word by its number: {@code word11=0x20010db8/0xffffffff}. No
 * word is lost when a story is written and read.
 *
 * <p>Nothing is implied: a rule on ports asks for their presence by {@code ports_present=1}. But a
 * range asks for it by itself, as {@link Match.Builder#ports} does.
 */
final class StoryFields {
    private static final String WORD = "word";

    private StoryFields() {}

    /** Constrains a match by a field's text. */
    static void constrain(Match.Builder match, String text) {
        String name = nameOf(text);
        String value = text.substring(name.length() + 1);
        int dash = value.indexOf('-');
        if (dash > 0) {
            match.ports(
                    fieldOf(name),
                    Integer.parseInt(value.substring(0, dash)),
                    Integer.parseInt(value.substring(dash + 1)));
            return;
        }
        int slash = value.indexOf('/');
        int number = number(slash < 0 ? value : value.substring(0, slash));
        if (name.startsWith(WORD)) {
            match.word(wordOf(name), number, slash < 0 ? -1 : number(value.substring(slash + 1)));
            return;
        }
        Field field = fieldOf(name);
        int mask = slash < 0 ? -1 : mask(field, value.substring(slash + 1));
        match.field(field, number, mask);
    }

    /** Sets a field of a header. */
    static void set(int[] header, String text) {
        String name = nameOf(text);
        int number = number(text.substring(name.length() + 1));
        if (name.startsWith(WORD)) {
            header[wordOf(name)] = number;
            return;
        }
        Field field = fieldOf(name);
        header[field.word()] = header[field.word()] & ~field.maskInWord() | field.place(number);
    }

    /** The texts that {@link #constrain} makes a match of again. */
    static List<String> of(Match match) {
        List<String> texts = new ArrayList<>();
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            int value = match.value(word);
            int mask = match.mask(word);
            for (Field field : fieldsWithin(word, mask)) {
                int constrained = field.extract(mask);
                if (constrained != 0) {
                    texts.add(
                            field.label() + "=" + masked(field, field.extract(value), constrained));
                }
            }
            if (fieldsWithin(word, mask).isEmpty() && mask != 0) {
                texts.add("%s%d=0x%08x/0x%08x".formatted(WORD, word, value, mask));
            }
        }
        range(texts, Field.SRC_PORT, match.srcPorts());
        range(texts, Field.DST_PORT, match.dstPorts());
        return texts;
    }

    /** The texts that {@link #set} makes a header of again: of those fields that are not 0. */
    static List<String> of(int[] header) {
        List<String> texts = new ArrayList<>();
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            List<Field> fields = fieldsWithin(word, header[word]);
            for (Field field : fields) {
                int value = field.extract(header[word]);
                if (value != 0) {
                    texts.add(field.label() + "=" + plain(field, value));
                }
            }
            if (fields.isEmpty() && header[word] != 0) {
                texts.add("%s%d=0x%08x".formatted(WORD, word, header[word]));
            }
        }
        return texts;
    }

    private static void range(List<String> texts, Field field, int range) {
        if (range != Match.ANY_PORT) {
            texts.add(field.label() + "=" + (range >>> 16) + "-" + (range & 0xffff));
        }
    }

    /** The fields of a word, if they cover all of these bits; else none. */
    private static List<Field> fieldsWithin(int word, int bits) {
        List<Field> fields = new ArrayList<>();
        int covered = 0;
        for (Field field : Field.values()) {
            if (field.word() == word && field.bits() <= 32) {
                fields.add(field);
                covered |= field.maskInWord();
            }
        }
        return (bits & ~covered) == 0 ? fields : List.of();
    }

    private static String masked(Field field, int value, int mask) {
        int full = field.bits() == 32 ? -1 : (1 << field.bits()) - 1;
        if (mask == full) {
            return plain(field, value);
        }
        if (isIpv4(field) && (~mask & ~mask + 1) == 0) {
            return plain(field, value) + "/" + Integer.bitCount(mask);
        }
        return "0x%x/0x%x".formatted(value, mask);
    }

    private static String plain(Field field, int value) {
        if (isIpv4(field)) {
            return "%d.%d.%d.%d"
                    .formatted(value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255);
        }
        return value < 0 || value > 0xffff ? "0x%x".formatted(value) : Integer.toString(value);
    }

    private static boolean isIpv4(Field field) {
        return field.equals(Field.IPV4_SRC) || field.equals(Field.IPV4_DST);
    }

    private static int mask(Field field, String text) {
        if (isIpv4(field) && !text.startsWith("0x")) {
            int length = Integer.parseInt(text);
            return length == 0 ? 0 : -1 << 32 - length;
        }
        return number(text);
    }

    private static int number(String text) {
        if (text.startsWith("0x")) {
            return Integer.parseUnsignedInt(text.substring(2), 16);
        }
        if (text.indexOf('.') < 0) {
            return Integer.parseUnsignedInt(text);
        }
        int address = 0;
        for (String part : text.split("\\.")) {
            address = address << 8 | Integer.parseInt(part);
        }
        return address;
    }

    private static String nameOf(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException("'" + text + "' is not FIELD=VALUE");
        }
        return text.substring(0, equals);
    }

    private static int wordOf(String name) {
        int word = Integer.parseInt(name.substring(WORD.length()));
        if (word < 0 || word >= HeaderWord.COUNT) {
            throw new IllegalArgumentException("headers have no " + name);
        }
        return word;
    }

    private static Field fieldOf(String name) {
        for (Field field : Field.values()) {
            if (field.label().equals(name)) {
                if (field.bits() > 32) {
                    throw new IllegalArgumentException(
                            name + " lies in several header words; name them as wordN=");
                }
                return field;
            }
        }
        throw new IllegalArgumentException("there is no field '" + name + "'");
    }
}

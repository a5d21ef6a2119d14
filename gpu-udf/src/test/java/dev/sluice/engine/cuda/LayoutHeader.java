package dev.sluice.engine.cuda;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text of {@code layouts.cuh}: for each class of the engine whose name ends in {@code Layout},
 * and for the few others whose numbers the kernels share, a namespace of the class's name with its
 * {@code int} constants. Values come from the compiled class; order and comments from its source.
 * {@link Field}, whose places are no constants, has a namespace of its own.
 *
 * <p>Of header words and fields only those that kernels name are written, so that a new field needs
 * no new kernels.
 */
final class LayoutHeader {
    private static final Path ENGINE = Path.of("src/main/java");
    private static final Path SCHEMAS = Path.of("../schemas/src/main/java");
    private static final int LINE = 100;

    /** Classes that are no layouts of their own, by their sources. */
    private static final List<Path> OTHERS =
            List.of(
                    SCHEMAS.resolve("dev/sluice/schemas/header/FieldBits.java"),
                    SCHEMAS.resolve("dev/sluice/schemas/header/HeaderLayout.java"),
                    SCHEMAS.resolve("dev/sluice/schemas/header/HeaderWord.java"),
                    ENGINE.resolve("dev/sluice/engine/image/HashMultipliers.java"),
                    ENGINE.resolve("dev/sluice/engine/lookup/VerdictBatch.java"));

    private static final Pattern CONSTANT =
            Pattern.compile("    (?:public )?static final int (\\w+) =.*");

    private static final Path KERNELS = Path.of("src/main/cuda");

    private LayoutHeader() {}

    /** The header, from the sources below the working directory, which is the module's. */
    static String text() throws IOException {
        List<Path> sources = new ArrayList<>(OTHERS);
        try (Stream<Path> all = Files.walk(ENGINE)) {
            all.filter(p -> p.getFileName().toString().endsWith("Layout.java"))
                    .forEach(sources::add);
        }
        sources.sort(Comparator.comparing(LayoutHeader::simpleName));
        StringBuilder out = new StringBuilder();
        comment(
                out,
                "Generated from the engine's layout classes: change those, then run"
                        + " src/main/cuda/headers. A test compares this text with them.");
        out.append("#pragma once\n\n#include <cstdint>\n\nnamespace sluice {\n");
        String kernels = kernels();
        for (Path source : sources) {
            namespace(out, source, kernels);
        }
        fields(out, kernels);
        return out.append("\n}  // namespace sluice\n").toString();
    }

    /** The sources that name constants. */
    private static String kernels() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> sources = Files.list(KERNELS)) {
            for (Path source : sources.sorted().toList()) {
                if (!source.endsWith("layouts.cuh")) {
                    all.append(Files.readString(source));
                }
            }
        }
        return all.toString();
    }

    private static boolean isNamed(String kernels, String space, String name) {
        return Pattern.compile("\\b%s::%s\\b".formatted(space, name)).matcher(kernels).find();
    }

    /** Places of the fields that lie in one word. */
    private static void fields(StringBuilder out, String kernels) {
        out.append('\n');
        comment(
                out,
                "Where match fields lie in their words: bits to the right of the field; its largest"
                        + " value; its mask in the word.");
        out.append("namespace Field {\n");
        for (java.lang.reflect.Field constant : Field.class.getFields()) {
            if (constant.getType() != Field.class) {
                continue;
            }
            Field field = row(constant);
            if (field.bits() <= 32) {
                place(out, kernels, constant.getName() + "_SHIFT", field.shift());
                place(out, kernels, constant.getName() + "_MOST", field.extract(-1));
                place(out, kernels, constant.getName() + "_MASK", field.maskInWord());
            }
        }
        out.append("}  // namespace Field\n");
    }

    private static Field row(java.lang.reflect.Field constant) {
        try {
            return (Field) constant.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(constant.getName(), e);
        }
    }

    private static void place(StringBuilder out, String kernels, String name, int value) {
        if (isNamed(kernels, "Field", name)) {
            constant(out, name, value);
        }
    }

    private static String simpleName(Path source) {
        String file = source.getFileName().toString();
        return file.substring(0, file.length() - ".java".length());
    }

    private static void namespace(StringBuilder out, Path source, String kernels)
            throws IOException {
        List<String> lines = Files.readAllLines(source);
        Class<?> layout = load(lines, simpleName(source));
        Set<String> expected = constants(layout);
        List<String> doc = new ArrayList<>();
        List<String> section = new ArrayList<>();
        boolean inDoc = false;
        boolean inClass = false;
        for (String line : lines) {
            String text = line.strip();
            if (text.startsWith("/**")) {
                doc.clear();
                inDoc = true;
            }
            if (inDoc) {
                doc.add(text);
                inDoc = !text.endsWith("*/");
                continue;
            }
            Matcher constant = CONSTANT.matcher(line);
            if (!inClass && text.contains("class " + layout.getSimpleName() + " ")) {
                out.append('\n');
                whole(out, doc);
                out.append("namespace ").append(layout.getSimpleName()).append(" {\n");
                inClass = true;
            } else if (text.startsWith("// ")) {
                section.add(text.substring(3));
                continue;
            } else if (constant.matches()) {
                if (layout != HeaderWord.class
                        || isNamed(kernels, "HeaderWord", constant.group(1))) {
                    constant(out, layout, constant.group(1), section, doc);
                }
                expected.remove(constant.group(1));
            }
            if (!text.isEmpty()) {
                doc.clear();
                section.clear();
            }
        }
        if (!expected.isEmpty()) {
            throw new IllegalStateException(
                    source + ": write each as 'static final int NAME =': " + expected);
        }
        out.append("}  // namespace ").append(layout.getSimpleName()).append('\n');
    }

    private static Class<?> load(List<String> lines, String name) {
        String declared =
                lines.stream()
                        .filter(line -> line.startsWith("package "))
                        .findFirst()
                        .orElseThrow()
                        .replaceAll("package |;", "");
        try {
            return Class.forName(declared + "." + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(name + " is not compiled", e);
        }
    }

    /** Names of the constants that other classes may use. */
    private static Set<String> constants(Class<?> layout) {
        int wanted = Modifier.STATIC | Modifier.FINAL;
        return Arrays.stream(layout.getDeclaredFields())
                .filter(f -> f.getType() == int.class)
                .filter(f -> (f.getModifiers() & (wanted | Modifier.PRIVATE)) == wanted)
                .map(java.lang.reflect.Field::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void constant(
            StringBuilder out,
            Class<?> layout,
            String name,
            List<String> section,
            List<String> doc) {
        if (!section.isEmpty()) {
            out.append('\n');
            comment(out, String.join(" ", section));
        }
        String sentence = prose(doc).replaceAll("(?s)(?<=\\w[.]) .*", "");
        if (!sentence.isEmpty()) {
            comment(out, sentence);
        }
        int value;
        try {
            java.lang.reflect.Field field = layout.getDeclaredField(name);
            field.setAccessible(true);
            value = field.getInt(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(layout + "." + name, e);
        }
        constant(out, name, value);
    }

    private static void constant(StringBuilder out, String name, int value) {
        String number = value >>> 16 == 0 ? value + "" : String.format("0x%08xu", value);
        out.append("constexpr uint32_t %s = %s;\n".formatted(name, number));
    }

    /** A Javadoc comment as one line of words. */
    private static String prose(List<String> doc) {
        return plain(String.join(" ", doc.stream().map(LayoutHeader::inner).toList())).strip();
    }

    /** A Javadoc comment with its lines as they are where it is a diagram. */
    private static void whole(StringBuilder out, List<String> doc) {
        StringBuilder paragraph = new StringBuilder();
        boolean diagram = false;
        for (String line : doc) {
            String text = inner(line);
            boolean border = text.equals("<pre>") || text.equals("</pre>");
            if (border || text.isEmpty() || diagram) {
                if (!paragraph.isEmpty()) {
                    comment(out, plain(paragraph.toString()).strip());
                    paragraph.setLength(0);
                }
                if (diagram && !border) {
                    out.append(("//   " + plain(text)).stripTrailing()).append('\n');
                }
                diagram = border ? text.equals("<pre>") : diagram;
            } else {
                paragraph.append(text).append(' ');
            }
        }
        if (!paragraph.isEmpty()) {
            comment(out, plain(paragraph.toString()).strip());
        }
    }

    /** What stands in a line of a comment. */
    private static String inner(String line) {
        return line.replaceFirst("^/\\*\\* ?", "")
                .replaceFirst("\\*/$", "")
                .replaceFirst("^\\* ?", "")
                .stripTrailing();
    }

    private static String plain(String javadoc) {
        return javadoc.replaceAll("\\{@(?:code|link|literal)\\s+#?([^}]*)}", "$1")
                .replaceAll("(\\w)#(\\w)", "$1::$2")
                .replaceAll("</?p>", "")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    private static void comment(StringBuilder out, String text) {
        StringBuilder line = new StringBuilder("//");
        for (String word : text.split("\\s+")) {
            if (line.length() + 1 + word.length() > LINE) {
                out.append(line).append('\n');
                line = new StringBuilder("//");
            }
            line.append(' ').append(word);
        }
        out.append(line).append('\n');
    }
}

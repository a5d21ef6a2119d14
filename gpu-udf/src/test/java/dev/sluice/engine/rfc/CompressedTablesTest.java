package dev.sluice.engine.rfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.EngineSubject;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Look-ups in compressed tables, which small rule sets have only where an option asks for them. */
class CompressedTablesTest {
    private static final BitmapRfcAlgorithm BITMAP_RFC = new BitmapRfcAlgorithm();

    /** Forms of which every image of some rules has compressed tables. */
    private static final Set<RfcForm> COMPRESSING =
            Set.of(RfcForm.PAPER, RfcForm.EXACT, RfcForm.COMPRESSED);

    /** Rules that a form must serve: the paper's looks at addresses and ports alone. */
    private static Shape shape(RfcForm form) {
        return form == RfcForm.PAPER ? Shape.ADDRESSES_AND_PORTS : Shape.PREFIXES;
    }

    private static EngineOptions options(RfcForm form) {
        EngineOptions plain = Form.plain("bitmap-rfc").options().withGpu(GpuPool.Selection.OFF);
        return plain.withTuning(plain.tuning().with(RfcForm.OPTION, form));
    }

    private static CompileContext context(RfcForm form) {
        EngineOptions options = options(form);
        return new Compiler(options.compile()).context();
    }

    /** Entries of the pieces of an image's compressed tables. */
    private static Set<Integer> pieces(Image image) {
        Set<Integer> sizes = new TreeSet<>();
        int[] w = image.words();
        for (int s = 0; s < w[RfcLayout.COUNT_AT]; s++) {
            int record = w[RfcLayout.STEPS_AT] + s * RfcLayout.RECORD;
            if (w[record + RfcLayout.MODE] == RfcLayout.BITMAP) {
                sizes.add(1 << w[record + RfcLayout.PIECE_BITS]);
            }
        }
        return sizes;
    }

    @Test
    void onlyWhatIsAskedForIsCompressedInSmallTables() {
        for (RfcForm form : RfcForm.values()) {
            RuleSet rules = new RandomRules(TestSeed.of(4)).ruleSet(shape(form), 200);
            Image image = BITMAP_RFC.compile(rules, context(form));
            assertEquals(!COMPRESSING.contains(form), pieces(image).isEmpty(), form.toString());
            Image plain = new RfcAlgorithm().compile(rules, context(form));
            assertTrue(pieces(plain).isEmpty(), "rfc compressed " + form);
            assertTrue(
                    form == RfcForm.TUNED
                            ? image.bytes() == plain.bytes()
                            : image.bytes() < plain.bytes(),
                    () -> form + ": " + image.bytes() + " of " + plain.bytes() + " bytes");
        }
    }

    @Test
    void theCompressedFormChoosesPiecesOfDifferentSizes() {
        Set<Integer> sizes = new TreeSet<>();
        for (Shape shape : List.of(Shape.PREFIXES, Shape.ACCESS_LIST)) {
            for (int size : new int[] {40, 300, 1000}) {
                RuleSet rules = new RandomRules(TestSeed.of(size)).ruleSet(shape, size);
                sizes.addAll(pieces(BITMAP_RFC.compile(rules, context(RfcForm.COMPRESSED))));
            }
        }
        assertTrue(sizes.size() > 1, () -> "pieces of " + sizes + " entries alone");
    }

    @ParameterizedTest
    @EnumSource(RfcForm.class)
    void rulesThatChangeGetTheOraclesAnswers(RfcForm form) {
        EngineOptions options = options(form);
        for (long seed = 41; seed < 44; seed++) {
            RuleStory story = RuleStory.random(TestSeed.of(seed), shape(form), 150, 40, 150);
            SameVerdicts.assertServed(
                    seed == 43 ? story.cleared() : story,
                    EngineSubject.of("bitmap-rfc-" + form, options));
        }
    }

    /** Of a table alone: every form of its pieces, elements of 16 and of 32 bits. */
    @Test
    void kernelAndClassifierReadEveryFormOfPieces() throws Exception {
        HostKernels program = HostKernels.shared();
        Kernel kernel = BITMAP_RFC.kernels().get(0);
        Random random = TestSeed.random(12);
        for (double changes : new double[] {0.01, 0.15, 0.9}) {
            for (boolean wide : new boolean[] {false, true}) {
                int[] entries = entries(random, changes, wide);
                for (BitmapTable.Form form : forms(wide)) {
                    Image image = image(entries, form, wide);
                    List<int[]> headers = new ArrayList<>();
                    int[] expected = new int[2_000];
                    for (int i = 0; i < expected.length; i++) {
                        int value = random.nextInt(entries.length);
                        int[] header = new int[HeaderWord.COUNT];
                        header[HeaderWord.PORTS] = random.nextInt() << 16 | value;
                        headers.add(header);
                        expected[i] = entries[value] - 1;
                    }
                    String story = form + (wide ? " wide, " : ", ") + changes;
                    Subject.LookUp cpu = Subject.lookUp(BITMAP_RFC.open(image));
                    assertEquals(text(expected), text(cpu.positions(headers)), story);
                    Subject.LookUp host = program.in(image, kernel);
                    assertEquals(text(expected), text(host.positions(headers)), story + " on host");
                }
            }
        }
    }

    private static String text(int[] verdicts) {
        return Arrays.toString(verdicts);
    }

    private static List<BitmapTable.Form> forms(boolean wide) {
        List<BitmapTable.Form> forms = new ArrayList<>(List.of(BitmapTable.paperForm(wide)));
        forms.addAll(List.of(BitmapTable.tunedForms(wide)));
        return forms;
    }

    private static int[] entries(Random random, double changes, boolean wide) {
        int[] entries = new int[1 << 16];
        for (int i = 0; i < entries.length; i++) {
            boolean changed = i == 0 || random.nextDouble() < changes;
            entries[i] = changed ? random.nextInt(wide ? 1 << 30 : 1 << 16) : entries[i - 1];
        }
        return entries;
    }

    /** One step, whose chunk is the lower half of the ports' word. */
    private static Image image(int[] entries, BitmapTable.Form form, boolean wide) {
        HeaderLayout layout = HeaderLayout.of(HeaderWord.PORTS);
        WordWriter out = new WordWriter("test", 1 << 24);
        int record = out.reserve(RfcLayout.RECORD);
        out.set(RfcLayout.STEPS_AT, record);
        out.set(RfcLayout.COUNT_AT, 1);
        out.set(record + RfcLayout.KIND, RfcLayout.CHUNK);
        out.set(record + RfcLayout.POSITION, layout.position(HeaderWord.PORTS));
        out.set(record + RfcLayout.MASK, 0xffff);
        int align = Math.min(8, form.words());
        int[] offsets = new BitmapTable(entries).write(out, form, wide, align);
        RfcCompiler.describe(out, record, form, wide, offsets);
        return Image.seal(out.toArray(), RfcTarget.BITMAPS.code(), layout, 1 << 30);
    }
}

package dev.sluice.engine.merged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lists of compiled merged tuples in the cases that random rules seldom have. */
class KeyListsTest {
    private static final int FIRST = HeaderWord.COUNT - HeaderLayout.MOST_WORDS;
    private static final String KERNEL = "planned_tuple";
    private static final int TAG_AT = 22;
    private static final Form FORM = Form.plain("merged-tuple");

    /** A list of a hundred rules that port ranges tell apart. */
    @Test
    void longListsAndRanges() throws Exception {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Match.Builder b = new Match.Builder();
            b.word(HeaderWord.IPV4_SRC, 0x0a000001, -1);
            b.ports(Field.DST_PORT, 600 * i, 600 * i + (i % 2 == 0 ? 598 : 300));
            b.ports(Field.SRC_PORT, i % 3, i % 3 + 1_000);
            rules.add(new Rule(i + 1, i, b.build(), "a", i + 1));
        }
        Image image = check(rules, "one key");
        assertEquals(1, image.words()[TupleSpaceLayout.TUPLES_AT]);
    }

    /**
     * A rule of the most words of a rule set takes eleven entries; others of its key differ in one
     * word.
     */
    @Test
    void rulesOfEveryWord() throws Exception {
        Random random = TestSeed.random(11);
        int[] words = random.ints(HeaderWord.COUNT).toArray();
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Match.Builder b = new Match.Builder();
            int other = FIRST + i % HeaderLayout.MOST_WORDS;
            for (int word = FIRST; word < HeaderWord.COUNT; word++) {
                int value = word == other ? words[word] ^ 1 << random.nextInt(32) : words[word];
                b.word(word, value, word == other ? -1 : random.nextInt(3) == 0 ? 0 : -1);
            }
            rules.add(new Rule(i + 1, random.nextInt(50), b.build(), "a", i + 1));
        }
        check(rules, "every word");
    }

    /** Keys that meet in a word of their table share a list. */
    @Test
    void keysThatMeet() throws Exception {
        Image image = check(destinations(), "keys that meet");
        int[] w = image.words();
        int shared = 0;
        for (int c = 0; c < w[TupleSpaceLayout.TUPLES_AT]; c++) {
            int table = w[w[w[TupleSpaceLayout.ORDER_AT] + 2 * c + 1] + TupleSpaceLayout.LISTS];
            for (int word = 1; word <= 1 << w[table]; word++) {
                shared += w[table + word] != 0 && w[table + word] >>> TAG_AT == 0 ? 1 : 0;
            }
        }
        assertTrue(shared > 10, "no keys met");
    }

    /** Words of which only the upper bits are named keep their keys apart. */
    @Test
    void keysOfShortPrefixes() throws Exception {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 4_096; i++) {
            Match.Builder b = new Match.Builder();
            b.word(HeaderWord.IPV4_SRC, (i & 63) << 26, 0xfc000000);
            b.word(HeaderWord.IPV4_DST, i >> 6 << 26, 0xfc000000);
            rules.add(new Rule(i + 1, i, b.build(), "a", i + 1));
        }
        int[] w = check(rules, "short prefixes").words();
        int lists = 0;
        for (int c = 0; c < w[TupleSpaceLayout.TUPLES_AT]; c++) {
            int table = w[w[w[TupleSpaceLayout.ORDER_AT] + 2 * c + 1] + TupleSpaceLayout.LISTS];
            for (int word = 1; word <= 1 << w[table]; word++) {
                lists += w[table + word] != 0 ? 1 : 0;
            }
        }
        assertTrue(lists > 3_000, lists + " lists for 4,096 keys");
    }

    /** Classes are read in groups; more than the kernel's record holds are left to another one. */
    @Test
    void manyClasses() throws Exception {
        for (int classes : new int[] {1, 8, 9, 40, 200}) {
            List<Rule> rules = new ArrayList<>();
            Random random = TestSeed.random(classes);
            for (int i = 0; i < 3 * classes; i++) {
                Match.Builder b = new Match.Builder();
                int bits = i % classes + 1;
                int mask = bits * 0x9e3779b1 | 1 << 31 - bits % 32;
                b.word(HeaderWord.IPV4_SRC, random.nextInt() & mask, mask);
                rules.add(new Rule(i + 1, random.nextInt(classes), b.build(), "a", i + 1));
            }
            check(rules, classes + " masks");
        }
    }

    /** Rules that name nothing need no lists. */
    @Test
    void rulesOfNoWord() throws Exception {
        check(List.of(new Rule(1, 5, new Match.Builder().build(), "a", 1)), "nothing named");
        check(List.of(), "no rules");
    }

    /** Where the lists would pass the budget, the cells serve alone. */
    @Test
    void aSmallBudgetDoesWithoutLists() throws Exception {
        RuleSet set = RuleSet.of("small", 1, RuleSet.DROP, destinations());
        Image roomy = FORM.compile(set).image();
        Form tight = FORM.withBudget(roomy.bytes() - 50_000);
        assertNotNull(KernelCatalog.parameters(KERNEL, roomy));
        assertNull(KernelCatalog.parameters(KERNEL, tight.compile(set).image()));
        SameVerdicts.assertServed(story(set), tight.compiled());
    }

    private static List<Rule> destinations() {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Match.Builder b = new Match.Builder();
            b.word(HeaderWord.IPV4_DST, i * 0x01010101, -1);
            rules.add(new Rule(i + 1, i, b.build(), "a", i + 1));
        }
        return rules;
    }

    private static RuleStory story(RuleSet rules) {
        long seed = TestSeed.of(2);
        return RuleStory.of(rules.name(), seed, rules, new RandomRules(seed), 2_000);
    }

    private static Image check(List<Rule> list, String name) throws Exception {
        RuleSet rules = RuleSet.of(name, 1, RuleSet.DROP, list);
        RuleStory story = story(rules);
        SameVerdicts.assertServed(story, FORM.compiled());
        Image image = FORM.compile(rules).image();
        int[] parameters = KernelCatalog.parameters(KERNEL, image);
        if (image.layout().size() > 0 && image.words()[TupleSpaceLayout.TUPLES_AT] <= 100) {
            assertNotNull(parameters, name);
            HostKernels program = HostKernels.shared();
            int read = 0;
            for (Subject kernel : FORM.kernels(program)) {
                read += SameVerdicts.assertSameVerdicts(story, kernel).isEmpty() ? 1 : 0;
            }
            assertEquals(2, read, "kernels that read " + name);
        } else {
            assertNull(parameters, name);
        }
        return image;
    }
}

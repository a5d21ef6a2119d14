// Generated from the engine's layout classes: change those, then run src/main/cuda/headers. A test
// compares this text with them.
#pragma once

#include <cstdint>

namespace sluice {

// Layout of a piece of a BitmapTable, in words.
//   piece  bitmap, 2^k / 32 words | elements of 16 or 32 bits | (last 32 bits: accessory address)
// The accessory address is there in pieces of more runs than elements.
namespace BitmapTableLayout {
// Elements of 16 bits whose place the accessory address takes.
constexpr uint32_t NARROW_TAKEN = 2;
// Elements of 32 bits whose place the accessory address takes.
constexpr uint32_t WIDE_TAKEN = 1;
// Log2 of the bits of a bitmap's word.
constexpr uint32_t WORD_BITS = 5;
}  // namespace BitmapTableLayout

// Layout of an image of bitvectors, in words.
//   own words   records of the fields | their number | 64-bit words of a bitvector
//   field       position | shift | bits | ranges | lower bounds | upper bounds | bitvectors | 0
//   bounds      one of 32 bits, two of 16 or four of 8 in a word, lowest first
//   bitvector   a bit each 64-bit word that is not 0 | the 64-bit words, lower half first
namespace BitvectorLayout {
// Offset of the fields' records.
constexpr uint32_t FIELDS_AT = 8;
constexpr uint32_t COUNT_AT = 9;
// 64-bit words of a bitvector.
constexpr uint32_t VECTOR_WORDS_AT = 10;
// Position of the field's word in the image's header layout.
constexpr uint32_t POSITION = 0;
constexpr uint32_t SHIFT = 1;
constexpr uint32_t BITS = 2;
// Number of disjoint ranges.
constexpr uint32_t RANGES = 3;
// Offset of the ranges' lower bounds.
constexpr uint32_t LOWS = 4;
// Offset of the ranges' upper bounds.
constexpr uint32_t HIGHS = 5;
// Offset of the ranges' bitvectors.
constexpr uint32_t VECTORS = 6;
// Size of a field's record in words.
constexpr uint32_t RECORD = 8;
// Fields that rules can name, at most.
constexpr uint32_t MOST_FIELDS = 32;
// 64-bit words of a bitvector for which one word says whether they are 0.
constexpr uint32_t AGGREGATED = 32;
// 32-bit words of one of a bitvector's words.
constexpr uint32_t VECTOR_WORD = 2;
}  // namespace BitvectorLayout

// Layout of the parameter of the kernel overlay, which looks up what changed since an image was
// compiled. An address is two words, the lower one first.
//   address of the words of rules that came | of the ticks at which base rules went | of the verdicts
//   that it writes | tick | offset of the directory | words of a header | base rules | 0
namespace ChangesLayout {
// Address of the words of rules that came.
constexpr uint32_t INSERTED = 0;
// Address of the ticks at which base rules went.
constexpr uint32_t REMOVED = 2;
// Address of the verdicts that the kernel writes; those that it reads are an argument.
constexpr uint32_t VERDICTS = 4;
// Tick of the version that is looked up.
constexpr uint32_t TICK = 6;
// Offset of the version's directory.
constexpr uint32_t DIRECTORY = 7;
// Number of words of a header.
constexpr uint32_t HEADER_WORDS = 8;
// Number of base rules.
constexpr uint32_t BASE_RULES = 9;
// Size of the parameter in words.
constexpr uint32_t WORDS = 10;
}  // namespace ChangesLayout

// Layout of the parameter that the fast kernel of crossproducts takes beside the image
// (CrossproductKernelParameters).
//   head     class steps | groups | patterns | entries of a pattern | lists | list bits | cell bits
//            | rules | form of lists | position of the ports | rules that catch all
//   address  levels | root of trie or ranges | position | parents | rows | words a row
//            | 4 levels: table, mode, shift, mask, bits of the level        source, destination
//   step     table | mode | inputs, 0 for a chunk | words 3 to 8 of the step's record     7 of them
//   group    the group's record                                                           8 of them
namespace CrossproductKernelLayout {
// Levels of an address, at most.
constexpr uint32_t LEVELS = 4;
// In place of the number of levels: ranges.
constexpr uint32_t RANGES = 5;
// Class steps, at most.
constexpr uint32_t STEPS = 7;
// Groups, at most.
constexpr uint32_t GROUPS = 8;
// Largest size of a header in words.
constexpr uint32_t HEADER_WORDS = 4;
// Largest size of a row of an address in words.
constexpr uint32_t MOST_ROW_WORDS = 4;

// The head.
constexpr uint32_t STEP_COUNT = 0;
constexpr uint32_t GROUP_COUNT = 1;
constexpr uint32_t PATTERNS = 2;
constexpr uint32_t PATTERN_ENTRIES = 3;
constexpr uint32_t LISTS = 4;
constexpr uint32_t LIST_BITS = 5;
constexpr uint32_t CELL_BITS = 6;
constexpr uint32_t RULES = 7;
constexpr uint32_t LIST_FORM = 8;
constexpr uint32_t PORTS_POSITION = 9;
constexpr uint32_t CATCH_ALLS = 10;

// An address.
constexpr uint32_t AXIS_LEVELS = 0;
constexpr uint32_t AXIS_ROOT = 1;
constexpr uint32_t AXIS_POSITION = 2;
constexpr uint32_t AXIS_PARENTS = 3;
constexpr uint32_t AXIS_ROWS = 4;
constexpr uint32_t AXIS_ROW_WORDS = 5;
constexpr uint32_t AXIS_LEVEL = 6;

// A level of an address.
constexpr uint32_t LEVEL_TABLE = 0;
constexpr uint32_t LEVEL_MODE = 1;
constexpr uint32_t LEVEL_SHIFT = 2;
constexpr uint32_t LEVEL_MASK = 3;
constexpr uint32_t LEVEL_BITS = 4;
// Size of a level in words.
constexpr uint32_t LEVEL = 5;

// A class step.
constexpr uint32_t STEP_TABLE = 0;
constexpr uint32_t STEP_MODE = 1;
constexpr uint32_t STEP_INPUTS = 2;
// First of the words that are those of the step's record.
constexpr uint32_t STEP_OWN = 3;
// Size of a class step in words.
constexpr uint32_t STEP = 9;

// Where the parts start.
// Source address.
constexpr uint32_t SOURCE = 11;
// Size of an address's record in words.
constexpr uint32_t AXIS = 26;
// First class step.
constexpr uint32_t FIRST_STEP = 63;
// First group.
constexpr uint32_t FIRST_GROUP = 126;
// Size of the parameter in words.
constexpr uint32_t WORDS = 230;
}  // namespace CrossproductKernelLayout

// Own words of a crossproduct image, and the words of its records.
//   own words  head
//   head       steps | their number | their end | step of the class | source | destination
//              | groups | their number | patterns | their end | entries of a pattern | lists
//              | list bits | cell bits | form of lists | position of the ports
//              | rules that catch all | flags of lists
//   address    form | at | position | parents | rows | words a row
//   group      cells | form or mask | best | width | source's and destination's word, shift, mask
//   cell       direct, mapped: a word; hashed: key's lower bits, key's upper bits . cell; listed: the
//              other address's number, its sign bit set on the last | cell
//   map        a bit for each pair of prefixes, 32 of one source a word | number of their first cell
//   list       by kind: (row of the kind, position) a rule, the last position marked by its sign bit
//              by class: the best position for each of some classes
//              by service: the best position | the first service of each interval, in place of the
//              first one's their number | for each interval a position or ~offset of a chain
//              | if divided, offset of the list of the other rules, by source port
//   index      before such a list: for each part of the services, backwards, the last interval that
//              begins before its end | the last part, shift | first service of the first part
//   chain      (the other ports, position) a rule, the last position marked
namespace CrossproductLayout {
// Offset of the head record.
constexpr uint32_t HEAD_AT = 8;

// Head: tables that reduce the header, and the step that holds the class.
constexpr uint32_t STEPS = 0;
constexpr uint32_t STEP_COUNT = 1;
constexpr uint32_t STEPS_END = 2;
constexpr uint32_t CLASS_STEP = 3;
// Records of the source and the destination address.
constexpr uint32_t AXES = 4;
// Size of an address's record in words.
constexpr uint32_t AXIS = 6;
// LEVELS, TRIE or RANGES.
constexpr uint32_t FORM = 0;
// The step that holds the prefix, the trie's root, or the root of the ranges.
constexpr uint32_t AT = 1;
// Position of the address's first word in a header.
constexpr uint32_t POSITION = 2;
// Parents of the prefixes of ranges; what the trie's addresses are compared with.
constexpr uint32_t PARENTS = 3;
// A row for what was found: the number of the longest prefix around in each group.
constexpr uint32_t ROWS = 4;
// Size of a row in words: 1, 2, 4 or 8.
constexpr uint32_t ROW_WORDS = 5;
constexpr uint32_t LEVELS = 0;
constexpr uint32_t TRIE = 1;
constexpr uint32_t RANGES = 2;
// Records of the groups, and their number.
constexpr uint32_t GROUPS = 16;
constexpr uint32_t GROUP_COUNT = 17;
// Rows of 16-bit entries, a row a pattern, a class a column; 0 in other forms of lists.
constexpr uint32_t PATTERNS = 18;
constexpr uint32_t PATTERNS_END = 19;
// Entries of a pattern's row.
constexpr uint32_t PATTERN_ENTRIES = 20;
// Positions of the lists of several rules.
constexpr uint32_t LISTS = 21;
// Lower bits of a cell that name its list; those above name its pattern.
constexpr uint32_t LIST_BITS = 22;
// Lower bits of a keyed cell's second word that are the cell; those above are its key's.
constexpr uint32_t CELL_BITS = 23;
// Form of what cells name: one of the forms below.
constexpr uint32_t LIST_FORM = 24;
// Position of the ports in a header, where lists are searched by service.
constexpr uint32_t PORTS_POSITION = 25;
// For each class the best position of a rule that holds there for all addresses and ports, or
// NO_RULE.
constexpr uint32_t CATCH_ALLS = 26;
// Flags of the lists that are searched by service: DIVIDED, INDEXED.
constexpr uint32_t LIST_FLAGS = 27;
constexpr uint32_t HEAD = 28;
// Cells name a pattern and a list.
constexpr uint32_t BY_PATTERN = 0;
// Cells name lists that are tested rule by rule.
constexpr uint32_t BY_KIND = 1;
// A cell for each pair of prefixes and PIECE classes names a row of best rules.
constexpr uint32_t BY_CLASS = 2;
// Cells name intervals of services.
constexpr uint32_t BY_SERVICE = 3;
// Size of a group's record in words.
constexpr uint32_t RECORD = 13;
constexpr uint32_t CELLS = 0;
// DIRECT, LISTED_BY_SOURCE, LISTED_BY_DESTINATION or HASHED.
constexpr uint32_t GROUP_FORM = 1;
// Cells of a plain table.
constexpr uint32_t DIRECT = 0;
// Lists of cells, which the source's rows name.
constexpr uint32_t LISTED_BY_SOURCE = 1;
// Lists of cells, which the destination's rows name.
constexpr uint32_t LISTED_BY_DESTINATION = 2;
// Cells at places that a seed of their bucket tells.
constexpr uint32_t HASHED = 3;
// Cells of the pairs that have one, in the order of a bit map.
constexpr uint32_t MAPPED = 4;
// Best position in the group.
constexpr uint32_t BEST = 2;
// Cells a source of a direct group; bits of a destination in the keys of a hashed one; entries of a
// mapped one's map a source.
constexpr uint32_t WIDTH = 3;
// A hashed group's seeds, 16 bits a bucket.
constexpr uint32_t SEEDS = 4;
// In place of these, a mapped group's map.
constexpr uint32_t MAP = 4;
// CellPlaces::shift of a hashed group.
constexpr uint32_t BUCKET_SHIFT = 5;
// A hashed group's places.
constexpr uint32_t PLACES = 6;
// In place of these, of rows of verdicts: cells a pair of prefixes.
constexpr uint32_t PIECES = 6;
// Bits of rows that hold the group's prefix: word, shift and mask, for source and destination.
constexpr uint32_t FIELDS = 7;
// Size of a field's place in words.
constexpr uint32_t FIELD = 3;
// Word of a row.
constexpr uint32_t FIELD_WORD = 0;
constexpr uint32_t FIELD_SHIFT = 1;
constexpr uint32_t FIELD_MASK = 2;

// An entry of a map.
// Pairs that have a cell: a bit for each.
constexpr uint32_t MAP_BITS = 0;
// Number, from 1 on, of the first cell of these.
constexpr uint32_t MAP_FIRST = 1;
// Size of an entry in words.
constexpr uint32_t MAP_ENTRY = 2;
// Log2 of the pairs of an entry.
constexpr uint32_t MAP_SHIFT = 5;

// A cell that is no plain table's.
// The key's lower bits, or the other address's number.
constexpr uint32_t CELL_KEY = 0;
// The cell; in a hashed group above it the key's upper bits.
constexpr uint32_t CELL_NAMED = 1;
// Size of such a cell in words.
constexpr uint32_t KEYED_CELL = 2;

// A rule of a list that is tested rule by rule.
// Offset of the row of the rule's kind.
constexpr uint32_t LIST_ROW = 0;
constexpr uint32_t LIST_POSITION = 1;
// Size of such a rule in words.
constexpr uint32_t LISTED = 2;
constexpr uint32_t PIECE_BITS = 3;
// Classes of a row of verdicts.
constexpr uint32_t PIECE = 8;

// A list that is searched by service: the best position of all its rules, then the services at
// which its intervals begin, ascending, then what each of them names: the best position, NO_RULE,
// or ~ the offset of a chain.
constexpr uint32_t BEST_OF_LIST = 0;
// First service of the first interval.
constexpr uint32_t INTERVALS = 1;
// Of the word of their number, those bits that are the number.
constexpr uint32_t INTERVAL_COUNT = 0x3fffffffu;
// Set there: behind all of them stands the offset of a list by source port.
constexpr uint32_t DIVIDED = 0x40000000u;
// Set there: an index stands before the list.
constexpr uint32_t INDEXED = 0x80000000u;

// An index, in words before its list: services are divided into parts of equal size.
// First service of the first part.
constexpr uint32_t PARTS_FROM = 1;
// Number of the last part; above it log2 of a part's services.
constexpr uint32_t PARTS_SHAPE = 2;
// 0, and before it for each part the last interval that begins before the part's end.
constexpr uint32_t PARTS_BEFORE = 3;
constexpr uint32_t PARTS_SHIFT_AT = 26;
constexpr uint32_t LAST_PART = 0x03ffffffu;
// A service: the class above so many bits of a port.
constexpr uint32_t SERVICE_SHIFT = 16;

// A rule of a chain.
// Range of the port that is not the list's, the lowest one in the upper half.
constexpr uint32_t LINK_PORTS = 0;
constexpr uint32_t LINK_POSITION = 1;
// Size of such a rule in words.
constexpr uint32_t LINK = 2;
// In place of a position: no rule.
constexpr uint32_t NO_RULE = 0x7fffffffu;
// Position in a list, or number in a listed cell's key.
constexpr uint32_t UNMARKED = 0x7fffffffu;
// Set in the last of a list.
constexpr uint32_t LAST = 0x80000000u;
}  // namespace CrossproductLayout

// The two words that lead to a node or leaf of a forest.
//   word 0   31 whether the node has a rest   30..0 offset of the child table, or of the leaf
//   word 1   31..14 bound: best position below, without its lowest bits
//            13..9 shift   8..4 header word   3..0 width of the window, 0 for a leaf
namespace DescriptorLayout {
// True if there is a rest, and the offset.
constexpr uint32_t TABLE = 0;
// Bound, shift, header word and width.
constexpr uint32_t NODE = 1;
// Size of a descriptor in words.
constexpr uint32_t WORDS = 2;
// Offset of the child table, or of the leaf.
constexpr uint32_t OFFSET_MASK = 0x7fffffffu;
// The bit that says whether the node has a rest.
constexpr uint32_t REST_SHIFT = 31;
constexpr uint32_t WIDTH_MASK = 15;
constexpr uint32_t POSITION_SHIFT = 4;
constexpr uint32_t SHIFT_SHIFT = 9;
constexpr uint32_t BOUND_SHIFT = 14;
// Of a shift and of the position of a header word.
constexpr uint32_t FIVE_BITS = 31;
constexpr uint32_t BOUND_BITS = 18;
// Bound of what leads to nothing: never below any verdict.
constexpr uint32_t NO_RULE = 0x0003ffffu;
}  // namespace DescriptorLayout

// Layout of the tables of Dir24, in words.
//   record  table of 2^24 entries | blocks of 256 entries | 1 if entries have 16 bits
//   entry   0: none; v: result v - 1; top bit set: number of a block
namespace Dir24Layout {
// Offset of the entries of the addresses' upper bits.
constexpr uint32_t TABLE = 0;
// Offset of the first block.
constexpr uint32_t BLOCKS = 1;
// 1 if entries have 16 bits, 0 if they have 32.
constexpr uint32_t NARROW = 2;
// Size of the record in words.
constexpr uint32_t RECORD = 3;
// Bits of an address that the table takes.
constexpr uint32_t TOP_BITS = 24;
// Bits of an address that a block takes.
constexpr uint32_t BLOCK_BITS = 8;
// Entries of a block.
constexpr uint32_t BLOCK = 256;
// Marks an entry of 16 bits that names a block.
constexpr uint32_t NARROW_FLAG = 32768;
// Marks an entry of 32 bits that names a block.
constexpr uint32_t WIDE_FLAG = 0x80000000u;
}  // namespace Dir24Layout

// Layout of the head of an exact-first image in words, which is an image of one tuple; its own
// words name the head. The image of the wildcard rules lies whole within it.
//   head   inner image | map | 1 if exact wins | best wildcard
//   map    for each position in the inner image that in this one
namespace ExactFirstLayout {
// Offset of the image of the wildcard rules.
constexpr uint32_t INNER = 0;
// Offset of the positions in this image.
constexpr uint32_t MAP = 1;
// 1: an exact entry beats every wildcard rule.
constexpr uint32_t EXACT_WINS = 2;
// Best position of a wildcard rule.
constexpr uint32_t BEST_WILDCARD = 3;
// Size of the head in words.
constexpr uint32_t HEAD = 4;
}  // namespace ExactFirstLayout

// Layout of an image of families, in words. The parts' images lie whole within it.
//    own words  for each value of the IP version the record of its part, 0 if no rule allows it
//    record     inner image | map
//    map        for each position in the inner image that in this one
namespace FamiliesLayout {
// First of the offsets of the parts' records, one for each value of the IP version.
constexpr uint32_t PARTS_AT = 8;
// Values of the IP version.
constexpr uint32_t VALUES = 4;
// Offset of the part's image.
constexpr uint32_t INNER = 0;
// Offset of the positions in this image.
constexpr uint32_t MAP = 1;
// Size of a record in words.
constexpr uint32_t RECORD = 2;
// Images within start at multiples of so many words: a cache line.
constexpr uint32_t LINE = 16;
}  // namespace FamiliesLayout

// Puts fields of more than 32 bits into header words, and takes fields out of them.
namespace FieldBits {
// Bits to the right of the Ethernet source's part of HeaderWord::MAC_MIDDLE.
constexpr uint32_t MIDDLE_SRC_SHIFT = 16;
// Mask of the Ethernet destination's part of HeaderWord::MAC_MIDDLE.
constexpr uint32_t MIDDLE_DST_MASK = 65535;
}  // namespace FieldBits

// Layout of a forest's image, in words.
//   own words   rule table | words a rule | 1 if there are ranges | root descriptor, 2 words | bound shift
//   table       RestLayout rest, where the node has one | a descriptor each value of the window
//   leaf        positions of rules, ascending; the sign bit marks the last
namespace ForestLayout {
// Offset of the rule table.
constexpr uint32_t TABLE_AT = 8;
// Words a rule.
constexpr uint32_t STRIDE_AT = 9;
// 1 if rules have port ranges.
constexpr uint32_t RANGES_AT = 10;
// The descriptor of the root.
constexpr uint32_t ROOT_AT = 11;
// Bits that a bound lacks of a position.
constexpr uint32_t BOUND_SHIFT_AT = 13;
// Position of a leaf's rule.
constexpr uint32_t LEAF_POSITION = 0x7fffffffu;
// Set in the last word of a leaf.
constexpr uint32_t LEAF_LAST = 0x80000000u;
}  // namespace ForestLayout

// Factors of the hashes that place keys in images. Who writes an image and all who look into it, in
// Java and in CUDA, take the same ones.
// All are odd: a product modulo 2^32 by an odd factor can be undone, so that no two words become
// the same one. About half of their bits are set, in no pattern, so that each bit of a word changes
// many upper bits of the product. They come from hashes that were tested for this: the first 32-bit
// prime of xxHash (Y. Collet) and the factors of MurmurHash3 (A. Appleby).
namespace HashMultipliers {
// First prime of xxHash: the prime next to 2^32 divided by the golden ratio.
constexpr uint32_t GOLDEN = 0x9e3779b1u;
// First factor of MurmurHash3's finish.
constexpr uint32_t FINISH_1 = 0x85ebca6bu;
// Second factor of MurmurHash3's finish.
constexpr uint32_t FINISH_2 = 0xc2b2ae35u;
// First factor of MurmurHash3's words.
constexpr uint32_t WORD = 0xcc9e2d51u;
}  // namespace HashMultipliers

// Layout of an image of an H-HashTree in words, which has the rows of a tuple space and, in the
// place of its tuples, trees. The own words of the tuple space name the head.
//   head   main root | extra root | log2 entries of a filter | 4 x 2 filter arrays
//   node   layer | rules | for each group: table, log2 of its entries, rules
//   entry  0: empty; > 0: first row of the bucket + 1; < 0: ~node of the next layer
//   filter 16 bits an entry: 4 groups of layer 1, 8 of layer 2 above them
// Filters and groups are numbered by what their rules name, a bit each field.
namespace HashTreeLayout {
// Offset of the main tree's root.
constexpr uint32_t MAIN = 0;
// Offset of the root of the extra tree.
constexpr uint32_t EXTRA_ROOT = 1;
// Log2 of the entries of a filter's array.
constexpr uint32_t FILTER_BITS = 2;
// Offsets of the filters' arrays, those of a filter behind each other.
constexpr uint32_t FILTERS = 3;
// Number of filters.
constexpr uint32_t FILTER_COUNT = 4;
// Arrays of a filter.
constexpr uint32_t ARRAYS = 2;
// Size of the head in words.
constexpr uint32_t HEAD = 11;
// Bits of a filter's entry: 4 groups of layer 1, 8 of layer 2.
constexpr uint32_t MASK_BITS = 12;
// Start of the bits of layer 2's groups.
constexpr uint32_t ETHERNET_AT = 4;
// All bits of a filter's entry.
constexpr uint32_t ALL_GROUPS = 4095;

// A node.
constexpr uint32_t LAYER = 0;
constexpr uint32_t RULES = 1;
// Records of the groups.
constexpr uint32_t FIRST_GROUP = 2;

// A group's record.
// Offset of the table, 0 without rules.
constexpr uint32_t TABLE = 0;
// Log2 of the table's entries.
constexpr uint32_t TABLE_BITS = 1;
constexpr uint32_t GROUP_RULES = 2;
// Size of a group's record in words.
constexpr uint32_t GROUP = 3;

// Bits of a filter's number.
constexpr uint32_t FILTER_TYPE = 2;
constexpr uint32_t FILTER_VLAN = 1;

// Bits of a group's number, one each field of its layer.
// The last field of a layer.
constexpr uint32_t LAST_FIELD = 1;
// The field before the last one.
constexpr uint32_t LAST_BUT_ONE = 2;
constexpr uint32_t GROUP_PORT = 4;
constexpr uint32_t GROUP_SOURCE = 2;
constexpr uint32_t GROUP_DESTINATION = 1;
constexpr uint32_t GROUP_TYPE = 2;
constexpr uint32_t GROUP_VLAN = 1;
constexpr uint32_t GROUP_PRIORITY = 2;
constexpr uint32_t GROUP_TOS = 1;
// Groups of a layer of two fields.
constexpr uint32_t TWO_FIELDS = 4;
// Groups of a layer of three fields.
constexpr uint32_t THREE_FIELDS = 8;

// What layers look at.
// Bits of the ToS: the differentiated services code point.
constexpr uint32_t DSCP = 252;
// Bits that a prefix has at least which names an address.
constexpr uint32_t LONG_PREFIX = 17;
// Bits of layer 2's hash.
constexpr uint32_t ETHERNET_BITS = 12;
// Bits of the hash of the extra tree's second layer.
constexpr uint32_t EXTRA_BITS = 9;

// Layers.
// Layer 1: both MAC addresses; 4 groups, 16 bits.
constexpr uint32_t MACS = 0;
// Layer 2: ingress port, EtherType, VLAN id; 8 groups, 12 bits.
constexpr uint32_t ETHERNET = 1;
// Layer 3: both IPv4 addresses by 'prefix of more than 16 bits'; 4 groups, 16 bits.
constexpr uint32_t ADDRESSES = 2;
// Layer 4: VLAN priority, ToS; 4 groups, 16 bits.
constexpr uint32_t QUALITY = 3;
// Second layer of the extra tree: ingress port, VLAN priority, ToS; 8 groups, 9 bits.
constexpr uint32_t EXTRA = 4;
// Nodes on the longest path from a root to a bucket.
constexpr uint32_t MOST_DEPTH = 5;
}  // namespace HashTreeLayout

// Header words that a rule set looks at, in ascending order: its position in the layout is a word's
// place in a HeaderBatch. Immutable.
namespace HeaderLayout {
// Most header words that one rule set looks at.
constexpr uint32_t MOST_WORDS = 32;
}  // namespace HeaderLayout

// The 32-bit words of a complete header, by number. Field says which field lies in which bits of
// them.
// The numbers travel in blocks and rules.
namespace HeaderWord {
constexpr uint32_t IPV4_SRC = 0;
constexpr uint32_t IPV4_DST = 1;
constexpr uint32_t PORTS = 2;
constexpr uint32_t IP = 3;
constexpr uint32_t ETHER = 4;
constexpr uint32_t MAC_HIGH = 5;
constexpr uint32_t MAC_MIDDLE = 6;
constexpr uint32_t MAC_LOW = 7;
constexpr uint32_t IN_PORT = 8;
constexpr uint32_t IPV6_SRC = 11;
}  // namespace HeaderWord

// Layout of the head of every image, in words. What lies behind it is the algorithm's.
//    word 0  magic "SLUI"        4  rules              8..15  algorithm's own
//         1  format version      5  words in all
//         2  algorithm code      6  checksum of words 8 to the end
//         3  header words 0..31  7  header words 32..63
namespace ImageLayout {
// "SLUI".
constexpr uint32_t MAGIC = 0x49554c53u;
constexpr uint32_t FORMAT = 2;
constexpr uint32_t MAGIC_AT = 0;
constexpr uint32_t FORMAT_AT = 1;
// Code of the algorithm that reads the image.
constexpr uint32_t ALGORITHM_AT = 2;
// Header words 0 to 31 that look-ups need, a bit each.
constexpr uint32_t LAYOUT_AT = 3;
constexpr uint32_t RULES_AT = 4;
constexpr uint32_t WORDS_AT = 5;
constexpr uint32_t CHECKSUM_AT = 6;
// Header words 32 to 63 that look-ups need, a bit each.
constexpr uint32_t LAYOUT_HIGH_AT = 7;
// First of the words that each algorithm uses as it likes.
constexpr uint32_t OWN_AT = 8;
// Number of those words.
constexpr uint32_t OWN_WORDS = 8;
// First word behind the head.
constexpr uint32_t BODY_AT = 16;
}  // namespace ImageLayout

// Layout of the lists of KeyLists in words, which lie beside the tuples of a tuple space. The own
// words of the tuple space name the first entry, a tuple's record names its table.
//   table  log2 of its words | a word each hash of a key: tag (10 bits) . first entry + 1 (22)
//   entry  word 0    1 in the list's last rule (bit 30) . position of the second word (29..25)
//                    . of the first (24..20) . rank (19..0)
//          word 1    entries of the rule that follow (31..28) . 1 if the third test is the port
//                    ranges (27) . position of the third word (26..22)
//                    . first entry + 1 of the first list that has no better rule (21..0)
//          words 2-7 three tests: value and mask, or source and destination port range
// First entries are 0 where there is no list. A tag is 0 where several keys meet in a word.
namespace KeyListLayout {

// A table.
// Log2 of the table's words.
constexpr uint32_t TABLE_BITS = 0;
constexpr uint32_t FIRST_WORD = 1;
// Bits of a first entry + 1.
constexpr uint32_t LIST_BITS = 22;
constexpr uint32_t LIST_FIRST = 0x003fffffu;

// An entry.
// Size of an entry in words: one sector of the GPU's memory.
constexpr uint32_t ENTRY = 8;
// Rank, positions of two words, and whether the list ends.
constexpr uint32_t RANK_WORD = 0;
// The next list, position of the third word, its kind, and entries that follow.
constexpr uint32_t NEXT_WORD = 1;
constexpr uint32_t FIRST_VALUE = 2;
constexpr uint32_t FIRST_MASK = 3;
constexpr uint32_t SECOND_VALUE = 4;
constexpr uint32_t SECOND_MASK = 5;
// Or the source port range.
constexpr uint32_t THIRD_VALUE = 6;
// Or the destination port range.
constexpr uint32_t THIRD_MASK = 7;
// Bits of a rank.
constexpr uint32_t RANK = 0x000fffffu;
constexpr uint32_t FIRST_AT = 20;
constexpr uint32_t SECOND_AT = 25;
constexpr uint32_t THIRD_AT = 22;
// Bits of a position.
constexpr uint32_t POSITION = 31;
// The list ends with this rule.
constexpr uint32_t LAST = 0x40000000u;
// The third test is the rule's port ranges.
constexpr uint32_t RANGES = 0x08000000u;
// Shift of the number of entries of the rule that follow.
constexpr uint32_t MORE_AT = 28;
}  // namespace KeyListLayout

// Layout of the tables of LengthSearch in words, for n lengths that occur.
//   record  n | n lengths | n tables | n numbers of entries, less 1 | result without any, + 1
//   table   entries, a power of two; from a prefix's hash on to the first free one
//   entry   four words of the prefix | 1 + its best result | 1 where used, 0 where free | 0 | 0
namespace LengthSearchLayout {
// Number of lengths.
constexpr uint32_t COUNT = 0;
// The lengths; behind them the tables, the numbers of their entries less 1, and the result.
constexpr uint32_t LENGTHS = 1;

// Lists behind the lengths: offsets in units of the number of lengths.
// The tables' offsets are the first list behind the lengths.
constexpr uint32_t TABLES = 1;
// The second list: numbers of slots, less 1.
constexpr uint32_t MASKS = 2;
// Behind the second list: the result of addresses that no prefix covers, + 1.
constexpr uint32_t REST = 3;
// Best result of a prefix or marker, + 1.
constexpr uint32_t RESULT = 4;
// 1 in an entry that is used.
constexpr uint32_t USED = 5;
// Size of an entry in words, and divisor of its offset.
constexpr uint32_t ENTRY = 8;
}  // namespace LengthSearchLayout

// Own words of an image of linear search: a rule table in total order is all that it has.
namespace LinearLayout {
// Offset of the rule table.
constexpr uint32_t TABLE_AT = 8;
// Words a rule.
constexpr uint32_t STRIDE_AT = 9;
// 1 if rules have port ranges.
constexpr uint32_t RANGES_AT = 10;
}  // namespace LinearLayout

// Layout of a mask filter in words, which lies before the tuples of a tuple space; the own words of
// the tuple space name the head.
//   head   keys | log2 rows | words a row | records of tuples by number | key records ...
//   key    table | terms | (position, mask) ...
//   table  a row each hash of the key's words, a bit each tuple that may have a rule there
namespace MaskFilterLayout {
// Number of keys.
constexpr uint32_t KEYS = 0;
// Log2 of the rows of a key's table.
constexpr uint32_t ROW_BITS = 1;
constexpr uint32_t ROW_WORDS = 2;
// Offset of the tuples' records by their numbers, 0 for a number that is free.
constexpr uint32_t BY_NUMBER = 3;
// Offsets of the keys' records.
constexpr uint32_t FIRST_KEY = 4;
// Keys, at most.
constexpr uint32_t MOST_KEYS = 32;

// A key's record.
// Offset of the key's rows.
constexpr uint32_t TABLE = 0;
// Number of (position, mask) pairs that follow.
constexpr uint32_t TERMS = 1;
constexpr uint32_t FIRST_TERM = 2;
}  // namespace MaskFilterLayout

// Layout of the parameter that the fast kernel of merged tuples takes beside the image
// (MergedTupleKernelParameters).
//   head    tuples, a multiple of four | offset of the entries | tuples of a group | 0
//   tuple   best rank | table | 32 less log2 of its words | two (position, mask) pairs of its key
//           | number of other pairs (31..16) . where they stand in this parameter (15..0)
//   pairs   (position, mask) pairs that have no room in the tuples' records
namespace MergedTupleKernelLayout {
// Size of the parameter in words.
constexpr uint32_t WORDS = 1000;

// The head.
constexpr uint32_t TUPLES = 0;
constexpr uint32_t ENTRIES = 1;
// Tuples whose lists are noted before they are read.
constexpr uint32_t GROUP = 2;
// First record of a tuple.
constexpr uint32_t HEAD = 4;

// A tuple's record.
// Size of a tuple's record in words.
constexpr uint32_t RECORD = 8;
constexpr uint32_t BEST = 0;
constexpr uint32_t TABLE = 1;
// Shift of keys that gives a word of the table.
constexpr uint32_t SHIFT = 2;
constexpr uint32_t FIRST_POSITION = 3;
constexpr uint32_t FIRST_MASK = 4;
constexpr uint32_t SECOND_POSITION = 5;
constexpr uint32_t SECOND_MASK = 6;
// Number and place of the other pairs.
constexpr uint32_t MORE = 7;
constexpr uint32_t MORE_PLACE = 65535;
constexpr uint32_t MORE_COUNT_AT = 16;
// Pairs (position, mask) of a key that stand in its tuple's record.
constexpr uint32_t PAIRS = 2;
// Tuples that the kernel takes at a time.
constexpr uint32_t TOGETHER = 4;
// Tuples whose lists the kernel notes before it reads them, at most.
constexpr uint32_t MOST_NOTED = 8;
}  // namespace MergedTupleKernelLayout

// Layout of PrefixRanges in words, for n prefixes, which are numbered from 1 on, 0 is for none.
//   root     65,536 words: a chunk's first prefix (31..11) . its prefixes (10..0); without any, the
//            one around it (31..11) . 0
//   ranges   n + 1: first (31..16) . last (15..0) of a prefix's addresses within its chunk
//   parents  n + 1: the longest prefix around a prefix; sign bit: that one holds the whole chunk
namespace PrefixRangesLayout {
// Upper bits of an address that name its chunk.
constexpr uint32_t CHUNK_BITS = 16;
// Size of the root in words, one each chunk.
constexpr uint32_t CHUNKS = 0x00010000u;
// Mask of an address within its chunk.
constexpr uint32_t WITHIN_CHUNK = 65535;
// Bits of the number of a chunk's prefixes.
constexpr uint32_t COUNT_BITS = 11;
// Number of a chunk's prefixes.
constexpr uint32_t COUNT = 2047;
// Bits to the right of a range's first address.
constexpr uint32_t FIRST_SHIFT = 16;
// Mask of a range's last address.
constexpr uint32_t LAST = 65535;
// Number of a prefix's parent.
constexpr uint32_t PARENT = 0x7fffffffu;
// Set if the parent holds the whole chunk.
constexpr uint32_t HOLDS_CHUNK = 0x80000000u;
}  // namespace PrefixRangesLayout

// Layout of a PrefixTrie in words.
//   reference  >= 0: offset of a table; < 0: ~(1 + index of a prefix), ~0 for none: the longest
//              prefix around the address is that one or one around it
//   table      width (15..10) . shift (9..5) . header position (4..0) | 2^width references
//   around     words of an address | for no prefix and for each prefix: 1 + index of the longest one
//              around it (31..8) . its length (7..0) | its address
namespace PrefixTrieLayout {
// Position, shift and width.
constexpr uint32_t NODE = 0;
// References.
constexpr uint32_t CHILDREN = 1;
constexpr uint32_t SHIFT_AT = 5;
constexpr uint32_t WIDTH_AT = 10;
// Of a shift and of a position.
constexpr uint32_t FIVE_BITS = 31;
// Size of an address in words.
constexpr uint32_t ADDRESS_WORDS = 0;
// Records of none and of the prefixes, each a word longer than an address.
constexpr uint32_t RECORDS = 1;
// Shift of the number of the prefix around, in a record's first word.
constexpr uint32_t PARENT_AT = 8;
// The length in a record's first word.
constexpr uint32_t LENGTH = 255;
}  // namespace PrefixTrieLayout

// The words before the table of a node that has a rest.
//   root of the rest: a descriptor (DescriptorLayout) | next rest
// A search takes the next rest when it is done with this one. It is the rest of the nearest node
// above that has one and of which this node is not a part of the rest.
namespace RestLayout {
// Size of a rest in words.
constexpr uint32_t WORDS = 3;
// Words from the root of the rest to the table.
constexpr uint32_t ROOT_BEFORE = 3;
// Words from the next rest to the table.
constexpr uint32_t NEXT_BEFORE = 1;
// A rest is named by the table that it stands before; this is none.
constexpr uint32_t NONE = 0;
}  // namespace RestLayout

// Own words of an RFC image, and the words of a step's record.
//   own words    records of the steps | their number
//   chunk        kind 0 | mode | table | position | shift | mask | upper shift | upper mask
//                | bits of the lower run | step above + 1, 0 without | form of the pieces
//   combination  kind 1 to 3 | mode | table | step, stride of each input | 0 | form of the pieces
//   pieces       log2 of their entries | words | elements | 1 if elements have 32 bits | accessory
// A step's entry of the last table is a position + 1, 0 for none; those of the others are classes.
namespace RfcLayout {
// Offset of the step records.
constexpr uint32_t STEPS_AT = 8;
// Number of steps.
constexpr uint32_t COUNT_AT = 9;
// Size of a step's record in words.
constexpr uint32_t RECORD = 16;
// Steps of an image, at most: two chunks a header word, and as many that combine them, less one.
constexpr uint32_t MOST_STEPS = 128;
// CHUNK or number of inputs.
constexpr uint32_t KIND = 0;
// PLAIN_16, PLAIN_32 or BITMAP.
constexpr uint32_t MODE = 1;
// Offset of the table, or of the first of its pieces.
constexpr uint32_t TABLE = 2;

// A chunk: position in the layout; the lower run; the upper run.
// Position of the word in the layout, NO_POSITION for an empty chunk.
constexpr uint32_t POSITION = 3;
constexpr uint32_t SHIFT = 4;
constexpr uint32_t MASK = 5;
constexpr uint32_t UPPER_SHIFT = 6;
constexpr uint32_t UPPER_MASK = 7;
constexpr uint32_t LOWER_BITS = 8;
// A chunk below an earlier table: that table's step + 1, else 0.
constexpr uint32_t ABOVE = 9;

// A combination: step and stride of each input; the last one's stride is 1.
// First of the inputs.
constexpr uint32_t INPUTS = 3;
// Size of an input in words.
constexpr uint32_t INPUT = 2;
constexpr uint32_t FIRST_STEP = 3;
constexpr uint32_t FIRST_STRIDE = 4;
constexpr uint32_t SECOND_STEP = 5;
constexpr uint32_t SECOND_STRIDE = 6;
constexpr uint32_t THIRD_STEP = 7;

// A table in pieces.
// Log2 of the entries of a piece.
constexpr uint32_t PIECE_BITS = 10;
constexpr uint32_t PIECE_WORDS = 11;
// Values that fit behind a piece's bitmap.
constexpr uint32_t ELEMENTS = 12;
// 1 if elements have 32 bits, 0 if they have 16.
constexpr uint32_t WIDE = 13;
// Offset of the accessory table.
constexpr uint32_t ACCESSORY = 14;

// Kinds.
constexpr uint32_t CHUNK = 0;
constexpr uint32_t ONE_INPUT = 1;
constexpr uint32_t TWO_INPUTS = 2;
constexpr uint32_t THREE_INPUTS = 3;

// Modes.
constexpr uint32_t PLAIN_16 = 0;
constexpr uint32_t PLAIN_32 = 1;
constexpr uint32_t BITMAP = 2;
constexpr uint32_t NO_POSITION = 0xffffffffu;
}  // namespace RfcLayout

// Layout of the ring in pinned memory through which a kernel that stays takes its batches, and of
// the control in device memory through which its blocks learn of them.
//   ring     0 head | 1 stop | 2 idle µs | 3 stay µs | 4 residency         the host writes these
//            32 left | 33 left at | 64.. done, a word each entry           the device writes these
//            128.. entries                                                 the host writes these
//   control  0 head | 1 leave | 2 exits | 64.. ended, a word each entry | 128.. entries
//   entry    headers' address, lower half first | verdicts' | stride | count | 0 | 0
namespace RingLayout {
// Entries, a power of two: more than there are staging buffers, so that none is overwritten before
// its batch has its verdicts.
constexpr uint32_t ENTRIES = 64;

// What the host writes.
// Batches that were put in the ring, modulo 2^32.
constexpr uint32_t HEAD = 0;
// 1 asks the kernel to leave.
constexpr uint32_t STOP = 1;
// µs without a batch after which it leaves.
constexpr uint32_t IDLE_MICROS = 2;
// µs after which it leaves though batches come.
constexpr uint32_t STAY_MICROS = 3;
// How often the kernel was started.
constexpr uint32_t RESIDENCY = 4;

// What the device writes.
// The residency that has ended.
constexpr uint32_t LEFT = 32;
// Number of the batch before which it left.
constexpr uint32_t LEFT_AT = 33;
// For each entry the number of the last batch that ended there, + 1.
constexpr uint32_t DONE = 64;
// First entry.
constexpr uint32_t ENTRY = 128;

// An entry.
// Address of the headers, lower half first.
constexpr uint32_t HEADERS = 0;
// Address of the verdicts, lower half first.
constexpr uint32_t VERDICTS = 2;
// Distance of two words of a header.
constexpr uint32_t STRIDE = 4;
// Number of headers.
constexpr uint32_t COUNT = 5;
// Size of an entry in words.
constexpr uint32_t ENTRY_WORDS = 8;
// Size of the ring in words, and of the control.
constexpr uint32_t WORDS = 640;

// The control: head and leave are one store.
// Entries that were told.
constexpr uint32_t CONTROL_HEAD = 0;
// 1: leave behind them.
constexpr uint32_t CONTROL_LEAVE = 1;
// Blocks that have left.
constexpr uint32_t CONTROL_EXITS = 2;
// For each entry the blocks that have ended it.
constexpr uint32_t CONTROL_ENDED = 64;
// First entry, copied from the ring.
constexpr uint32_t CONTROL_ENTRY = 128;
}  // namespace RingLayout

// Own words of an image of routes, whose record is Dir24's or LengthSearch's.
namespace RoutesLayout {
// Offset of the record of the tables.
constexpr uint32_t RECORD_AT = 8;
// First header word of the address.
constexpr uint32_t ADDRESS_AT = 9;
// Value that the IP word must have under the mask.
constexpr uint32_t IP_VALUE_AT = 10;
constexpr uint32_t IP_MASK_AT = 11;
}  // namespace RoutesLayout

// A rule in a RuleTable.
//   value, mask | value, mask | ... a pair for each header word | source ports, destination ports
// The port ranges are there where any rule of the set has one. They begin behind the pairs: at PAIR
// times the number of header words.
namespace RuleTableLayout {
constexpr uint32_t VALUE = 0;
constexpr uint32_t MASK = 1;
// Size of a pair in words.
constexpr uint32_t PAIR = 2;
// Range of the source port, counted from the end of the pairs.
constexpr uint32_t SRC_PORTS = 0;
// Range of the destination port, counted from the end of the pairs.
constexpr uint32_t DST_PORTS = 1;
// Size of both port ranges in words.
constexpr uint32_t RANGES = 2;
// Bits to the right of the lowest port in the word of a range.
constexpr uint32_t RANGE_LOW_SHIFT = 16;
// Mask of the highest port in the word of a range.
constexpr uint32_t RANGE_HIGH = 65535;
}  // namespace RuleTableLayout

// Layout of a block's shared memory, in words.
//   look-ups      first word of each thread's header | second word of each | ... | then each
//                 thread's notes, if its look-up makes some, in the same order
//   paper_linear  so many rules of a rule table
//   paper_tuple   cells of a tuple | their first rows | the tuple's filter
namespace SharedMemoryLayout {
// Threads of a block, and distance of two words of a header.
constexpr uint32_t THREADS = 256;
// Rules that a block of the papers' linear search copies.
constexpr uint32_t PAPER_RULES = 128;
// Largest part of a tuple that a block of the papers' tuple search copies, in words.
constexpr uint32_t PAPER_TUPLE_WORDS = 11264;
}  // namespace SharedMemoryLayout

// Layout of an image of tuples in words: own words, a rule's row, a tuple's record, its cuckoo
// table.
//   own words   rows | words a row | position of the ports | order | tuples | extra
//   order       (best rank or better, record) each tuple, best first
//   row         rank | next row of the same key + 1 | offset of the mask | position of the word that
//               is looked at first | its value | source ports | destination ports | its mask
//               | values, one each header word
//   mask        one word each header word, 0 behind them up to a multiple of four
//   record      cells | depth | seed | three (a, b) | stash | stashed | filter | log2 of its bits
//               | its seed, or lists | best rank | terms | (position, mask) each term
//   cells       3 subtables of depth (digest, first row + 1)
//   stash       (digest, first row + 1) each key that found no cell
// Rows and masks start at multiples of four words, pairs at multiples of two, so that each is one
// load of a GPU. The first 32 bytes of a row tell of most rules that they do not match. A slot is
// the number of a row.
namespace TupleSpaceLayout {
// Offset of the rows.
constexpr uint32_t ROWS_AT = 8;
// Size of a row in words.
constexpr uint32_t STRIDE_AT = 9;
// Position of the ports in the layout, -1 where it lacks them.
constexpr uint32_t PORTS_AT = 10;
// Offset of the tuples in the order of their best rank.
constexpr uint32_t ORDER_AT = 11;
// Number of tuples.
constexpr uint32_t TUPLES_AT = 12;
// First of three words for the algorithm that uses the tuples.
constexpr uint32_t EXTRA_AT = 13;

// The order.
// Best rank of the tuple or better.
constexpr uint32_t ORDER_BEST = 0;
// Offset of the tuple's record.
constexpr uint32_t ORDER_RECORD = 1;
// Size of a tuple in the order in words.
constexpr uint32_t ORDER_ENTRY = 2;

// A row.
constexpr uint32_t RANK = 0;
// Next row of the same key + 1, 0 in the last.
constexpr uint32_t NEXT = 1;
// Offset of the mask.
constexpr uint32_t MASK = 2;
// Position of the word that has the most bits that the tuple does not name.
constexpr uint32_t CHECK = 3;
constexpr uint32_t CHECK_VALUE = 4;
// Range of source ports, as a rule table has it.
constexpr uint32_t SRC_PORTS = 5;
// Range of destination ports.
constexpr uint32_t DST_PORTS = 6;
// Mask of the word that is looked at first.
constexpr uint32_t CHECK_MASK = 7;
// One each header word.
constexpr uint32_t VALUES = 8;
// Rows start at multiples of so many words.
constexpr uint32_t ROW_ALIGNMENT = 4;

// A tuple's record.
// Offset of the three subtables.
constexpr uint32_t CELLS = 0;
// Cells of one subtable.
constexpr uint32_t DEPTH = 1;
// Seed of the digest.
constexpr uint32_t SEED = 2;
// Pairs of constants, one each subtable.
constexpr uint32_t CONSTANTS = 3;
// Size of a pair of constants in words.
constexpr uint32_t CONSTANT_PAIR = 2;
constexpr uint32_t FACTOR = 0;
constexpr uint32_t SUMMAND = 1;
// Keys that found no cell: offset of (digest, row + 1) pairs, and their number.
constexpr uint32_t STASH = 9;
constexpr uint32_t STASHED = 10;
// Bloom filter: offset, log2 of its bits, seed of its digest.
constexpr uint32_t FILTER = 11;
constexpr uint32_t FILTER_BITS = 12;
constexpr uint32_t FILTER_SEED = 13;
// In sealed images without Bloom filters, in the place of their seed: offset of a table of lists, 0
// for none.
constexpr uint32_t LISTS = 13;
// Best rank of the tuple or better, for those that do not go by the order.
constexpr uint32_t BEST = 14;
// Number of (position, mask) pairs that follow.
constexpr uint32_t TERMS = 15;
constexpr uint32_t FIRST_TERM = 16;

// A term.
// Position of a header word.
constexpr uint32_t TERM_POSITION = 0;
// Mask of the tuple in that word.
constexpr uint32_t TERM_MASK = 1;
// Size of a term in words.
constexpr uint32_t TERM = 2;

// A cell.
// Subtables of a cuckoo table.
constexpr uint32_t SUBTABLES = 3;
constexpr uint32_t CELL_DIGEST = 0;
// First row of the key + 1, 0 in a free cell.
constexpr uint32_t CELL_FIRST = 1;
// Size of a cell in words.
constexpr uint32_t CELL = 2;
}  // namespace TupleSpaceLayout

// The verdicts on a batch of headers: for each the position of its rule in the rule set's total
// order, or MISS. Reused; not thread-safe while it is filled.
namespace VerdictBatch {
// No rule matched: the default action applies.
constexpr uint32_t MISS = 0xffffffffu;
}  // namespace VerdictBatch

// Layout of a tuple space that answers for every tick at once (VersionedTuples). Memory is used
// once: a word that was written changes afterwards only where it is a TO, a NEXT, the head of a
// chain, a BEST or a bucket, and whatever of these a look-up sees, old or new, its answer is the
// same.
//   head       header words | position of the ports | offset of the masks in an entry | words of an
//              entry | 0, up to FIRST
//   directory  tuples | offset of the pruning block, 0 for none | offset of the record of each
//   pruning    shift | positions of two header words | 0 | buckets of the first word, then of the
//              second: one for all its values, then 2^(32 - shift) others
//   bucket     a bit each tuple, in three words | 0
//   record     best | table | shift | terms | (position, mask) each term
//   table      2^(32 - shift) words: first entry of the chain of each value of the key's upper bits
//   entry      next | from | to | digest | precede | sub high | sub low | slot | a value each header
//              word, 0 up to a multiple of four | masks likewise | source ports | destination ports
// All references are word offsets from the start, 0 for none. Directories, records, tables and
// entries begin at multiples of four words. Ticks are kept as NEVER - tick, so that a word that
// nobody wrote says never.
// A look-up at tick v, with the directory of v, for a header whose best base rule has position i
// (Integer::MAX_VALUE for none):
//   best = (i, largest sub), found = none;  now = NEVER - v
//   for each tuple of the directory whose BEST <= best.precede, and which, if there is a pruning
//           block, is for both words in the bucket for all values or in that of the word's upper half
//       key = finish(mix(... mix(0, header[position] & mask) ...)) over the tuple's terms
//       for e = word (key >>> SHIFT) of the table; e != 0; e = NEXT of e
//           if DIGEST of e == key and FROM of e >= now and TO of e < now
//                   and (PRECEDE, SUB_HIGH, SUB_LOW) of e < best
//                   and the header has e's values under its masks, and ports in its ranges
//               best = its order, found = SLOT of e
//   the verdict is: rules of the base + found, or i where nothing was found
// mix and finish are dev.sluice.engine.tuplespace.TupleSpaceLayout's. FROM, TO, PRECEDE, SUB_HIGH
// and SHIFT are never negative; SUB_LOW and DIGEST are unsigned. Entries of one chain are in no
// order but that of their coming.
namespace VersionedTuplesLayout {

// The head.
// Number of header words.
constexpr uint32_t WORDS_AT = 0;
// Position of the ports among the header words, -1 where they lack them.
constexpr uint32_t PORTS_AT = 1;
// Offset of an entry's masks.
constexpr uint32_t MASKS_AT = 2;
// Size of an entry in words, a multiple of four.
constexpr uint32_t STRIDE_AT = 3;
// First word behind the head.
constexpr uint32_t FIRST = 16;
// Blocks begin at multiples of so many words.
constexpr uint32_t ALIGNMENT = 4;

// A directory.
// Number of tuples.
constexpr uint32_t TUPLES = 0;
// Offset of the block that says which tuples need not be looked into, 0 for none.
constexpr uint32_t PRUNING = 1;
// Offsets of the tuples' records.
constexpr uint32_t RECORDS = 2;
// Most tuples; their bits fit three words of a bucket.
constexpr uint32_t MOST_TUPLES = 96;

// A pruning block.
// Bits to the right of those of an upper half's hash that choose the bucket.
constexpr uint32_t PRUNING_SHIFT = 0;
// Positions of the two header words.
constexpr uint32_t PRUNING_POSITIONS = 1;
// Offset of the buckets.
constexpr uint32_t PRUNING_BUCKETS = 4;
// Size of a bucket in words.
constexpr uint32_t BUCKET = 4;

// A tuple's record.
// Smallest PRECEDE of its entries, or a smaller one; sinks only.
constexpr uint32_t BEST = 0;
// Offset of the heads of its chains.
constexpr uint32_t TABLE = 1;
// Bits to the right of those of a key that choose the chain, at most 30.
constexpr uint32_t SHIFT = 2;
// Number of terms.
constexpr uint32_t TERMS = 3;
constexpr uint32_t FIRST_TERM = 4;

// A term.
// Position of a header word.
constexpr uint32_t TERM_POSITION = 0;
// Mask of the tuple in that word, never 0.
constexpr uint32_t TERM_MASK = 1;
// Size of a term in words.
constexpr uint32_t TERM = 2;

// An entry.
// Next entry of the chain.
constexpr uint32_t NEXT = 0;
// NEVER - first tick at which it counts.
constexpr uint32_t FROM = 1;
// NEVER - first tick at which it counts no more; 0 while there is none.
constexpr uint32_t TO = 2;
// Digest of its key under its tuple's mask.
constexpr uint32_t DIGEST = 3;
// Rules of the base that are better, removed ones counted.
constexpr uint32_t PRECEDE = 4;
// Place among the entries of one PRECEDE, smaller is better: upper 32 of 64 bits.
constexpr uint32_t SUB_HIGH = 5;
// Lower 32 bits, unsigned.
constexpr uint32_t SUB_LOW = 6;
// Number of the rule among those that the overlay ever had.
constexpr uint32_t SLOT = 7;
// One each header word; masks and port ranges follow.
constexpr uint32_t VALUES = 8;
// Range of source ports, counted from the end of the masks, as a rule table has it.
constexpr uint32_t SRC_PORTS = 0;
// Range of destination ports, counted from the end of the masks.
constexpr uint32_t DST_PORTS = 1;
// Size of both ranges in words.
constexpr uint32_t RANGES = 2;

// Ticks.
// The tick at which nothing is there; a tick t is kept as NEVER - t.
constexpr uint32_t NEVER = 0x7fffffffu;
}  // namespace VersionedTuplesLayout

// Where match fields lie in their words: bits to the right of the field; its largest value; its
// mask in the word.
namespace Field {
constexpr uint32_t ETH_TYPE_SHIFT = 16;
constexpr uint32_t ETH_TYPE_MASK = 0xffff0000u;
constexpr uint32_t VLAN_ID_MASK = 4095;
constexpr uint32_t VLAN_PRIORITY_SHIFT = 13;
constexpr uint32_t VLAN_PRIORITY_MOST = 7;
constexpr uint32_t TOS_SHIFT = 8;
constexpr uint32_t IP_VERSION_SHIFT = 19;
constexpr uint32_t IP_VERSION_MOST = 3;
constexpr uint32_t SRC_PORT_SHIFT = 16;
constexpr uint32_t DST_PORT_MASK = 65535;
}  // namespace Field

}  // namespace sluice

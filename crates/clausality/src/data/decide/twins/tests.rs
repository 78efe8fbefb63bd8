use super::{Joint, Sparse, totals};
use crate::data::{self, Bounds, DataSettings, Input, Relation, Twin};
use clausality_bn::MISSING;
use clausality_bn::random::Stream;

pub(super) fn twins(header: &str, rows: usize, row: impl Fn(usize, &mut Stream) -> String) -> Vec<Twin> {
    let mut stream = Stream::new(1, "twins");
    let lines: Vec<String> = (0..rows).map(|k| row(k, &mut stream)).collect();
    let text = format!("{header}\n{}\n", lines.join("\n"));
    let input = Input::csv(text.as_bytes(), "t.csv");
    data::read(input, &DataSettings::default(), &Bounds::default()).unwrap().twins
}

pub(super) fn told(twins: &[Twin]) -> Vec<(&str, Relation, usize)> {
    twins.iter().map(|twin| (twin.name.as_str(), twin.relation, twin.agree)).collect()
}

#[test]
fn copies_near_copies_and_functions_are_told_apart() {
    let found = twins("city,country,code,left,complained,noise", 2000, |k, stream| {
        let city = stream.below(6);
        let left = stream.below(5) == 0;
        let complained = left ^ (k % 700 == 0);
        let country = ["fr", "fr", "de", "de", "es", "es"][city as usize];
        let code = ["33", "33", "49", "49", "34", "34"][city as usize];
        format!("c{city},{country},{code},{left},{complained},{}", stream.below(4))
    });
    assert_eq!(
        told(&found),
        [
            ("country", Relation::Function, 2000),
            ("code", Relation::Copy, 2000),
            ("complained", Relation::NearCopy, 1997)
        ]
    );
    assert_eq!(found[0].of, ["city"]);
    assert_eq!(found[1].of, ["country"]);
}

#[test]
fn a_copy_of_two_even_states_may_be_wrong_in_one_row_of_a_hundred() {
    let noisy = |every: usize| {
        twins("left,complained", 2000, |k, stream| {
            let left = stream.below(2) == 0;
            format!("{left},{}", left ^ (k % every == 0))
        })
    };
    assert_eq!(told(&noisy(101)), [("complained", Relation::NearCopy, 1980)]);
    assert_eq!(noisy(50), []);
}

#[test]
fn numbers_are_added_and_multiplied() {
    let found = twins("price,count,total,net,tax,celsius,fahrenheit", 400, |_, stream| {
        let (price, count) = (stream.below(9000) as f64 / 100.0 + 1.0, stream.below(30) as f64);
        let (net, tax) = (stream.below(50_000) as f64 / 100.0, stream.below(7000) as f64 / 100.0);
        let celsius = stream.below(500) as f64 / 10.0 - 15.0;
        let fahrenheit = celsius * 1.8 + 32.0;
        format!(
            "{price:.2},{count},{:.2},{net:.2},{:.2},{celsius:.1},{fahrenheit:.2}",
            price * count,
            net + tax
        )
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["total = price × count", "fahrenheit = 1.8 × celsius + 32"]);
    let found = twins("one,two,sum,low,high,range", 300, |k, stream| {
        let (one, two) = (stream.below(400) as f64 / 10.0, stream.below(300) as f64 / 10.0);
        let (low, high) = (stream.below(900) as f64 / 10.0 - 50.0, stream.below(700) as f64 / 10.0);
        let slip = if k == 7 { 5.0 } else { 0.0 };
        format!("{one:.1},{two:.1},{:.1},{low:.1},{high:.1},{:.1}", one + two, low - high + slip)
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["sum = one + two", "range = low - high"]);
    assert_eq!((found[1].agree, found[1].rows), (299, 300));
    let found = twins("age,school,work,euro,dollar", 300, |_, stream| {
        let (school, work, euro) =
            (8 + stream.below(12), stream.below(30), stream.below(90_000) as f64 / 100.0);
        format!("{},{school},{work},{euro:.2},{:.2}", school + work + 6, euro * 0.92)
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["work = age - school - 6", "dollar = 0.92 × euro"]);
}

#[test]
fn factors_that_no_decimals_say_are_divisors() {
    let found = twins("seconds,hours,half,third,off", 300, |_, stream| {
        let seconds = 7600 + stream.below(4000);
        let of = |parts: f64| seconds as f64 / parts;
        format!("{seconds},{:.9},{:.1},{:.6},{:.7}", of(3600.0), of(2.0), of(-3.0), of(7.3218))
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    let all = [
        "hours = seconds / 3600",
        "half = 0.5 × seconds",
        "third = seconds / -3",
        "off = 0.136578 × seconds",
    ];
    assert_eq!(formulas[..3], all[..3]);
    assert!(formulas[3].starts_with("off = 0.136578"), "{formulas:?}");
}

/// Figures as other programs write them: kept in 24 bits and written in full, or as briefly as tells them apart; and rounded.
#[test]
fn means_and_ratios_are_told_however_they_were_rounded() {
    let formulas = |write: fn(f64) -> String| {
        let found =
            twins("pupils,teachers,machines,score,each,ratio,share,reading,sums", 420, |_, stream| {
                let (pupils, machines) = (80 + stream.below(27_000), 1 + stream.below(3000));
                let teachers = 4.0 + stream.below(14_000) as f64 / 10.0;
                let (reading, sums) =
                    (600.0 + stream.below(1000) as f64 / 10.0, 605.0 + stream.below(1000) as f64 / 10.0);
                let (each, ratio) = (machines as f64 / pupils as f64, pupils as f64 / teachers);
                let cells = [
                    teachers,
                    machines as f64,
                    (reading + sums) / 2.0,
                    each,
                    ratio,
                    100.0 * each,
                    reading,
                    sums,
                ];
                let [teachers, machines, cells @ ..] = cells.map(write);
                format!("{pupils},{teachers},{},{}", machines.trim_end_matches(".00"), cells.join(","))
            });
        let of = |twin: Twin| twin.formula.unwrap_or(twin.name);
        found.into_iter().map(of).collect::<Vec<String>>()
    };
    let all = [
        "score = (reading + sums) / 2",
        "each = machines / pupils",
        "ratio = pupils / teachers",
        "share = 100 × each",
    ];
    let in_full = |value: f64| f64::from(value as f32).to_string();
    assert_eq!(formulas(in_full), all);
    assert_eq!(formulas(|value| (value as f32).to_string()), all);
    // With two decimals little is left of machines for each pupil, and enough of the others.
    let rounded = formulas(|value| format!("{value:.2}"));
    for formula in
        ["score = (reading + sums) / 2", "ratio = pupils / teachers", "share = 100 × machines / pupils"]
    {
        assert!(rounded.iter().any(|told| told == formula), "{formula}: {rounded:?}");
    }
    let found = twins("one,two,mean", 300, |_, stream| {
        let (one, two) = (stream.below(100), stream.below(100));
        format!("{one},{two},{}", (one + two).div_ceil(2))
    });
    assert_eq!(found[0].formula.as_deref(), Some("mean = (one + two) / 2"));
    let found = twins("one,two,near", 300, |_, stream| {
        let (one, two) = (stream.below(100), stream.below(100));
        format!("{one},{two},{}", (one + two) / 2 + stream.below(4))
    });
    assert_eq!(found, []);
}

/// Two in a hundred are behind with a payment: that zeros are zeros of zeros makes no formula, and what the others add up to does.
#[test]
fn zeros_alone_make_no_formula() {
    let found = twins("loan,late,owed,lines,fines,costs,due", 4000, |k, stream| {
        let behind = k % 150 == 7;
        let some = |most: u64, stream: &mut Stream| 1 + stream.below(most);
        let (loan, lines) = (1000 + 100 * stream.below(300), stream.below(40));
        let mut of = |most: u64| if behind { some(most, stream) } else { 0 };
        let (late, owed, fines, costs) = (of(12), of(3000), of(90), of(900));
        format!("{loan},{late},{owed},{lines},{fines},{costs},{}", fines + costs)
    });
    let formulas: Vec<Option<&str>> = found.iter().map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, [Some("due = fines + costs")], "{found:?}");
}

/// Shares in per cent and figures for each, of which nobody kept the decimals. What only goes with a ratio is none.
#[test]
fn ratios_that_were_rounded_to_whole_numbers_are_told() {
    let formulas = |round: fn(f64) -> f64, noise: u64| {
        let found = twins("shots,hits,rate,pupils,rooms,each,weight,volume,density", 400, |_, stream| {
            let shots = 20 + stream.below(300);
            let hits = stream.below(shots + 1);
            let (rooms, weight) = (2 + stream.below(40), 10.0 + stream.below(900) as f64 / 10.0);
            let pupils = rooms * (8 + stream.below(24)) + stream.below(rooms);
            let volume = 1.0 + stream.below(200) as f64 / 100.0;
            let rate = round(100.0 * hits as f64 / shots as f64) + stream.below(noise) as f64;
            let each = round(pupils as f64 / rooms as f64) + stream.below(noise) as f64;
            let density = round(weight / volume) + stream.below(noise) as f64;
            format!("{shots},{hits},{rate},{pupils},{rooms},{each},{weight:.1},{volume:.2},{density}")
        });
        let outs: Vec<(String, String)> =
            found.into_iter().map(|twin| (twin.formula.unwrap_or(twin.name), twin.leave_out)).collect();
        outs
    };
    let expected = |how: &str| {
        [
            ("rate = 100 × hits / shots", "rate"),
            ("each = pupils / rooms", "each"),
            ("density = weight / volume", "density"),
        ]
        .map(|(formula, out)| (format!("{formula}, {how}"), out.to_string()))
    };
    assert_eq!(formulas(f64::round, 1), expected("rounded"));
    assert_eq!(formulas(f64::floor, 1), expected("rounded down"));
    assert_eq!(formulas(f64::round, 4), []);
}

/// The month of a time stamp in a column of its own, a year in a name, and a date that was written twice; a price that rises with the years is none.
#[test]
fn what_repeats_a_part_of_a_date_is_told() {
    let found = twins("when,study,month,open,again,price", 600, |k, stream| {
        let (year, month, day) = (2019 + k / 200, 1 + k % 12, 1 + stream.below(28));
        let slip = if k == 9 { 5 } else { month };
        format!(
            "{year}-{month:02}-{day:02},PAL{:02},{slip},{},{day}.{month}.{year},{}",
            year % 100,
            ["yes", "no"][usize::from(month > 6)],
            10 * k + stream.below(9) as usize
        )
    });
    let said: Vec<(&str, &str, &str)> =
        found.iter().map(|t| (t.name.as_str(), t.of[0].as_str(), t.leave_out.as_str())).collect();
    assert!(said.contains(&("study", "when year", "study")), "{said:?}");
    assert!(said.contains(&("open", "when month", "open")), "{said:?}");
    assert!(said.iter().any(|&(name, of, out)| name == "month" && of == "when month" && out == "month"));
    assert!(said.iter().any(|&(_, of, out)| of.starts_with("when") && out == "again"), "{said:?}");
    assert!(!said.iter().any(|&(name, ..)| name == "price"), "{said:?}");
    assert_eq!(found.iter().filter(|twin| twin.leave_out == "again").count(), 1);
    // Where the column is the question, the date goes.
    let study = found.iter().find(|twin| twin.name == "study").unwrap();
    assert_eq!(study.before(|name| name == "study").leave_out, "when");
}

/// What was told of people once is told again in each of their rows: it follows from who they are, and that is what goes.
#[test]
fn whoever_the_rows_are_about_goes_and_not_what_is_known_of_them() {
    let found = twins("person,arm,sex,age,visit,pain", 400, |k, stream| {
        let person = k / 8;
        let (arm, sex, age) = (person * 7 % 2, person * 5 % 3 % 2, 20 + person * 13 % 37);
        format!("{person},{arm},{sex},{age},{},{}", k % 8, stream.below(10))
    });
    let keys: Vec<&str> = found.iter().filter(|twin| twin.key).map(|twin| twin.name.as_str()).collect();
    assert_eq!(keys, ["arm", "sex", "age"], "{found:?}");
    assert!(found.iter().all(|twin| twin.leave_out == "person"), "{found:?}");
    let told = data::told(&found);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].text.starts_with("'arm', 'sex', 'age' follow from person, which seems to say whose"),
        "{told:?}"
    );
    assert_eq!((told[0].advice[0].setting, told[0].advice[0].value.as_str()), ("entity", "person"));
    // The same where one of them is the question.
    assert!(
        found.iter().map(|twin| twin.before(|name| name == "arm")).all(|twin| twin.leave_out == "person")
    );
}

/// Rows without a value would belong to nobody, and a day that tells the season is not whose the rows are.
#[test]
fn gaps_and_days_name_nobody() {
    for (name, every) in [("person", 41), ("day", 900)] {
        let found = twins(&format!("{name},arm,sex,age,visit,pain"), 800, |k, stream| {
            let person = k / 8;
            let (arm, sex, age) = (person * 7 % 2, person * 5 % 3 % 2, 20 + person * 13 % 37);
            let cell = if k % every == every - 1 { String::new() } else { person.to_string() };
            format!("{cell},{arm},{sex},{age},{},{}", k % 8, stream.below(10))
        });
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|twin| !twin.key && twin.leave_out == twin.name), "{found:?}");
    }
}

/// Prices lie near each other, and cents are not rounded: what adds up to the last of them in all rows was computed.
#[test]
fn figures_that_add_up_to_the_last_digit_are_as_sharp_as_whole_numbers() {
    let formulas = |off: u64| {
        let found = twins("list,off,paid", 600, |_, stream| {
            let (list, less) = (169 + 6 * stream.below(11), 2 * stream.below(12));
            let paid = list - less + stream.below(1 + off);
            let [list, less, paid] = [list, less, paid].map(|cents| cents as f64 / 100.0);
            format!("{list:.2},{less:.2},{paid:.2}")
        });
        found.into_iter().filter_map(|twin| twin.formula).collect::<Vec<String>>()
    };
    assert_eq!(formulas(0), ["list = off + paid"]);
    assert!(formulas(1).is_empty(), "a cent more or less is rounding, which such prices do not bear");
}

/// A score of several answers tells them all, and is nobody's name: it is what goes, not the answers.
#[test]
fn a_score_is_no_key_of_its_answers() {
    let found = twins("faith,church,prayer,score,age", 3000, |_, stream| {
        let (faith, church, prayer) = (1 + stream.below(4), 1 + stream.below(5), 1 + stream.below(6));
        let score = 0.731 * faith as f64 + 0.097 * church as f64 + 0.013 * prayer as f64 - 2.0;
        format!("{faith},{church},{prayer},{score:.3},{}", 18 + stream.below(60))
    });
    let names: Vec<&str> = found.iter().map(|twin| twin.name.as_str()).collect();
    assert_eq!(names, ["faith", "church", "prayer", "score"], "{found:?}");
    assert!(found.iter().all(|twin| twin.leave_out == "score" && !twin.key), "{found:?}");
    let told = data::told(&found);
    assert_eq!(told[0].text, "faith follows from score in all 3,000 rows. Leaving out 'score' settles it");
    assert_eq!(
        told[3].text,
        "score = 0.731 × faith + 0.097 × church + 0.013 × prayer - 2 in all 3,000 rows. Leave it out?"
    );
    assert_eq!((told[3].advice[0].setting, told[3].advice[0].value.as_str()), ("type", "score=ignore"));
    let many: Vec<Twin> = ["a", "b"]
        .map(|other| {
            let rename =
                |twin: &Twin| Twin { of: vec![other.into()], leave_out: other.into(), ..twin.clone() };
            found.iter().filter(|twin| twin.formula.is_none()).map(rename).collect::<Vec<Twin>>()
        })
        .concat();
    let brief = data::told_briefly(&many);
    assert_eq!(
        brief[0].text,
        "2 columns tell what others say: a (faith, church, prayer), b (faith, church, prayer). Leave them out?"
    );
}

/// Most strikes cost nothing, and few two things, so that the total nearly always tells its parts, and they tell it: the total goes, no more.
#[test]
fn a_total_goes_and_its_parts_stay() {
    let text = |k: usize, stream: &mut Stream| {
        let mut cost =
            |odds: u64, odd: u64| if stream.below(odds) == 0 { 20 * (1 + stream.below(30)) + odd } else { 0 };
        let (other, repair) = (cost(80, 0), cost(70, 10));
        format!("{other},{repair},{},{}", other + repair, k % 3)
    };
    let mut stream = Stream::new(1, "twins");
    let rows: Vec<String> = (0..8000).map(|k| text(k, &mut stream)).collect();
    let table = format!("other,repair,total,speed\n{}\n", rows.join("\n"));
    let input = Input::csv(table.as_bytes(), "t.csv");
    let found = data::read(input, &DataSettings::default(), &Bounds::default()).unwrap();
    let out = |twins: &[Twin]| {
        let mut out: Vec<String> = twins.iter().map(|twin| twin.leave_out.clone()).collect();
        out.sort();
        out.dedup();
        out
    };
    assert!(found.twins.len() > 1, "{:?}", found.twins);
    assert_eq!(out(&found.twins), ["total"]);
    assert_eq!(out(&found.twins_before(|name| name == "repair")), ["total"]);
    assert!(!out(&found.twins_before(|name| name == "total")).contains(&"total".to_string()));
    let lines = data::told(&found.twins);
    let advising = lines.iter().filter(|line| !line.advice.is_empty()).count();
    assert_eq!(advising, 1, "{lines:?}");
    assert!(lines.iter().any(|line| line.text.ends_with("Leaving out 'total' settles it")), "{lines:?}");
}

#[test]
fn numbers_in_the_same_order_say_the_same() {
    let found = twins("income,ln,rank,noisy", 2000, |_, stream| {
        let income = 100 + stream.below(9000);
        let ln = (income as f64).ln();
        // A logarithm with two decimals has fewer values; noise of a hundredth is enough to say something of its own.
        let noisy = income as f64 * (1.0 + 0.01 * stream.below(10) as f64);
        format!("{income},{ln:.9},{:.2},{noisy:.2}", -ln)
    });
    assert_eq!(told(&found), [("ln", Relation::Copy, 2000), ("rank", Relation::Function, 2000)]);
    assert_eq!(found[1].of, ["income"]);
    // What rises from row to row shares time, not content.
    let rising = twins("pop,prices", 2000, |k, _| format!("{}.5,{}", 1000 + 3 * k, (k as f64).sqrt()));
    assert_eq!(told(&rising), []);
}

#[test]
fn numbers_cut_into_pieces_are_functions() {
    let found = twins("weight,low,size,chance,few", 300, |k, stream| {
        let weight = 1000 + stream.below(3000);
        let size = ["small", "middle", "large"][usize::from(weight >= 1800) + usize::from(weight >= 3300)];
        format!("{weight},{},{size},{},{}", weight < 2500, stream.below(2), k == 5)
    });
    assert_eq!(told(&found), [("low", Relation::Function, 300), ("size", Relation::Function, 300)]);
    assert_eq!(found[0].of, ["weight"]);
    // One row at the end of a range is chance, and a row that is out of place ends it.
    let slipped = twins("weight,low", 300, |k, stream| {
        let weight = 1000 + stream.below(3000);
        format!("{weight},{}", (weight < 2500) != (k == 9))
    });
    assert_eq!(told(&slipped), []);
    // Four foreign places at the ends of the map: a country does not follow from its longitude.
    let abroad = twins("longitude,country", 3000, |k, _| {
        let country = ["Guam", "Palau", "home", "Aruba", "Cuba"]
            [usize::from(k > 0) + usize::from(k > 1) + usize::from(k > 2997) + usize::from(k > 2998)];
        format!("{}.{:03},{country}", k / 1000, k % 1000)
    });
    assert_eq!(told(&abroad), []);
}

#[test]
fn rare_states_ids_and_chance_are_no_twins() {
    let found = twins("rare,rarer,many,bit,small,other", 600, |k, stream| {
        let (rare, rarer) = (k % 200 == 3, k % 200 == 77);
        let mut below = |n| stream.below(n);
        format!("{rare},{rarer},{},{},{},{}", below(200), below(2), below(3), below(3))
    });
    assert_eq!(told(&found), []);
}

#[test]
fn many_of_one_kind_are_one_line() {
    let columns: Vec<String> = (0..20).map(|k| format!("c{k},d{k}")).collect();
    let row = |_: usize, stream: &mut Stream| {
        let cells: Vec<String> = (0..20)
            .map(|_| {
                let code = stream.below(3) as usize;
                format!("{},{}", ["a", "b", "c"][code], ["x", "y", "z"][code])
            })
            .collect();
        cells.join(",")
    };
    let found = twins(&columns.join(","), 400, row);
    assert_eq!((found.len(), data::told(&found).len()), (20, 20));
    let lines = data::told_briefly(&found);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let named = "d0 (c0), d1 (c1), d2 (c2), d3 (c3), d4 (c4), d5 (c5), and 14 more";
    assert_eq!(lines[0].text, format!("20 columns say the same as others: {named}. Leave them out?"));
    assert_eq!(lines[0].advice[0].value, "NAME=ignore");
    assert_eq!(data::told_briefly(&found[..4]), data::told(&found[..4]), "a few are told one by one");
}

#[test]
fn totals_of_many_parts_are_found_and_products_of_products_are_left_out() {
    let found = twins("all,food,rent,rest,noise,up,down,flat,change", 300, |k, stream| {
        let mut cents = |most: u64| stream.below(most) as f64 / 100.0;
        let (food, rent, rest, noise) = (cents(40_000), cents(90_000), cents(20_000), cents(50_000));
        let (up, down, flat) = (cents(9000) - 40.0, cents(9000), cents(9000));
        let slip = if k == 7 { 1.0 } else { 0.0 };
        let change = up - down - flat + 3.5;
        format!(
            "{:.2},{food:.2},{rent:.2},{rest:.2},{noise:.2},{up:.2},{down:.2},{flat:.2},{change:.2}",
            food + rent + rest + slip
        )
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["all = food + rent + rest", "change = up - down - flat + 3.5"]);
    assert_eq!(found[0].agree, 299);
    // Shares that add up to a hundred, each rounded.
    let found = twins("a,b,c,d,e", 300, |_, stream| {
        let parts = [0, 1, 2, 3].map(|_| 1.0 + stream.below(1000) as f64);
        let all: f64 = parts.iter().sum();
        let [a, b, c, d] = parts.map(|part| 100.0 * part / all);
        format!("{a:.1},{b:.1},{c:.1},{d:.1},{}", stream.below(1000))
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["d = 100 - a - b - c"]);
    let found = twins("a,b,c,ab,abc", 300, |_, stream| {
        let [a, b, c] = [0, 1, 2].map(|_| 1.0 + stream.below(500) as f64 / 100.0);
        format!("{a:.2},{b:.2},{c:.2},{:.4},{:.6}", a * b, a * b * c)
    });
    let out: Vec<&str> = found.iter().map(|twin| twin.leave_out.as_str()).collect();
    assert_eq!(out, ["ab", "abc"], "without ab, abc is still a product: {found:?}");
}

/// What is computed of several columns, wherever it stands and however it was rounded; what is only near it is nothing.
#[test]
fn weighted_sums_means_and_extremes_are_told() {
    let table = |noise: u64| {
        twins("index,first,second,third,mean,points,best,q1,q2,q3,scale,least,z", 600, |_, stream| {
            let mut mark = || 20.0 + stream.below(800) as f64 / 10.0;
            let [first, second, third] = [mark(), mark(), mark()];
            let [q1, q2, q3] = [0, 1, 2].map(|_| 1 + stream.below(5));
            let index = 0.25 * first + 0.75 * second + stream.below(noise) as f64;
            let mean = (first + second + third) / 3.0 + stream.below(noise) as f64;
            let points =
                (0.5 * first + 0.3 * second + 0.2 * third).round() + (4 * stream.below(noise)) as f64;
            let best = first.max(third) + stream.below(noise) as f64;
            let least = first.min(second).min(third) - stream.below(noise) as f64;
            let z = 0.123_456_789 * first - 0.918_273_645 * third + stream.below(noise) as f64;
            let scale = q1 + 2 * q2 + q3 + stream.below(noise);
            format!(
                "{index:.2},{first:.1},{second:.1},{third:.1},{mean:.3},{points},{best:.1},{q1},{q2},{q3},{scale},{least:.1},{z}"
            )
        })
    };
    let formulas: Vec<String> = table(1).into_iter().filter_map(|twin| twin.formula).collect();
    assert_eq!(
        formulas,
        [
            "index = 0.25 × first + 0.75 × second",
            "mean = (first + second + third) / 3",
            "points = 0.5 × first + 0.3 × second + 0.2 × third",
            "best = max(first, third)",
            "scale = q1 + 2 × q2 + q3",
            "least = min(first, second, third)",
            "z = 0.123 × first - 0.918 × third",
        ]
    );
    assert_eq!(table(3), []);
    // Columns that are mostly empty do not hide what the others make.
    let found = twins("a,b,c,sum,left,right", 400, |k, stream| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|_| stream.below(400) as f64 / 10.0);
        let (left, right) =
            if k % 2 == 0 { (format!("{d}"), String::new()) } else { (String::new(), format!("{d}")) };
        format!("{a:.1},{b:.1},{c:.1},{:.1},{left},{right}", a + b + c)
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["sum = a + b + c"]);
}

#[test]
fn sparse_columns_are_counted_as_others_are() {
    let mut stream = Stream::new(3, "sparse");
    for usual in [0, 2, MISSING] {
        let mut column = || -> Vec<u8> {
            let code = |stream: &mut Stream| {
                if stream.below(12) == 0 { [0, 1, 2, 3, MISSING][stream.below(5) as usize] } else { usual }
            };
            (0..500).map(|_| code(&mut stream)).collect()
        };
        let (x, y) = (column(), column());
        let (whole, of_x, of_y) = (Joint::of(&x, &y), totals(&x), totals(&y));
        let (sparse_x, sparse_y) = (Sparse::of(&x).unwrap(), Sparse::of(&y).unwrap());
        let sparse = Joint::of_sparse(&sparse_x, &sparse_y, 500, (of_x.len(), of_y.len()));
        assert_eq!((&whole.counts, whole.states), (&sparse.counts, sparse.states));
        // Any other column stands beside a sparse one as well.
        let one = Joint::of_one_sparse(&sparse_x, of_x.len(), &of_y, |row| y[row as usize]);
        assert_eq!((&whole.counts, whole.states), (&one.counts, one.states));
        let other = Joint::of_one_sparse(&sparse_y, of_y.len(), &of_x, |row| x[row as usize]).turned();
        assert_eq!((&whole.counts, whole.states), (&other.counts, other.states));
        let even: Vec<u8> = (0..500).map(|_| [0, 1, 2, MISSING][stream.below(4) as usize]).collect();
        let whole = Joint::of(&x, &even);
        let one = Joint::of_one_sparse(&sparse_x, of_x.len(), &totals(&even), |row| even[row as usize]);
        assert_eq!((whole.counts, whole.states), (one.counts, one.states));
    }
    assert!(Sparse::of(&[0, 1, 0, 1]).is_none());
}

/// Gaps in so many of a hundred rows.
fn or_gap(stream: &mut Stream, percent: u64, value: impl ToString) -> String {
    if stream.below(100) < percent { String::new() } else { value.to_string() }
}

#[test]
fn twins_are_judged_by_the_rows_that_have_both() {
    for gaps in [0, 30, 49, 51, 75, 90] {
        let found = twins("x,y,a,b,kind,group", 3000, |_, stream| {
            let (x, a, kind) = (stream.below(400) as f64 / 8.0, stream.below(900), stream.below(9));
            let y = or_gap(stream, gaps, x > 25.0);
            let b = or_gap(stream, gaps, 3 * a + 1);
            let group = or_gap(stream, gaps, ["low", "middle", "high"][kind as usize / 3]);
            format!("{x},{y},{a},{b},k{kind},{group}")
        });
        let of: Vec<(&str, &str)> = found.iter().map(|twin| (&*twin.name, &*twin.of[0])).collect();
        assert_eq!(of, [("y", "x"), ("b", "a"), ("group", "kind")], "{gaps} % gaps");
        for twin in &found {
            assert_eq!(twin.agree, twin.rows);
            assert_eq!(twin.among, (2 * twin.rows < 3000).then_some(3000));
        }
    }
    let found = twins("one,two,sum,best", 4000, |_, stream| {
        let (one, two) = (stream.below(4000) as f64 / 10.0, stream.below(4000) as f64 / 10.0);
        let (sum, best) = (or_gap(stream, 70, format!("{:.1}", one + two)), or_gap(stream, 70, one.max(two)));
        format!("{one:.1},{two:.1},{sum},{best}")
    });
    let formulas: Vec<&str> = found.iter().filter_map(|twin| twin.formula.as_deref()).collect();
    assert_eq!(formulas, ["sum = one + two", "best = max(one, two)"]);
    let said = found[0].sentence();
    let rows = crate::words::counted(found[0].rows, "row");
    assert_eq!(said, format!("sum = one + two in all {rows} that have all (the table has 4,000)"));
}

/// A school follows from its code in all rows; that it is that of the year before is seen in few.
#[test]
fn what_most_rows_say_is_told_before_what_few_of_them_say() {
    let found = twins("before,school,code", 3000, |_, stream| {
        let code = stream.below(12);
        let before = or_gap(stream, 60, code / 4);
        format!("{before},{},c{code}", code / 4)
    });
    let of = |name: &str| found.iter().find(|twin| twin.name == name).map(|twin| (&*twin.of[0], twin.rows));
    assert_eq!(of("school"), Some(("code", 3000)), "{found:?}");
}

#[test]
fn gaps_alone_make_no_twins() {
    // A column of its own, and one that is wrong too often, whatever gaps they share.
    let found = twins("x,y,a,b,kind,group", 3000, |k, stream| {
        let (x, a, kind) = (stream.below(50), stream.below(900), stream.below(9));
        let slip = stream.below(25) == 0;
        match k / 300 {
            4 | 7 => format!(
                "{x},{},{a},{},k{kind},{}",
                (x > 25) ^ slip,
                3 * a + 1 + u64::from(slip),
                ["low", "middle", "high"][if slip { stream.below(3) } else { kind / 3 } as usize]
            ),
            _ => ",,,,,".into(),
        }
    });
    assert_eq!(told(&found), []);
    // Three towns of sixty have values: what is the same for a town goes together there, in however many rows.
    let found = twins("height,rain,party,ward,mood", 60 * 50, |k, stream| {
        let mood = stream.below(3);
        let town = k / 50;
        let (height, party) = (100 + town * 7919 % 613, town * 31 % 4);
        match town {
            3 | 20 | 41 => format!("{height},{},p{party},w{},{mood}", town * 104_729 % 977, town * 17 % 5),
            _ => format!("{height},,,,{mood}"),
        }
    });
    assert_eq!(told(&found), []);
    // Half of a small table shows what as few rows of a large one do not.
    let few = |rows: usize| {
        twins("kind,group,mood", rows, |k, stream| {
            let (kind, mood) = (stream.below(6), stream.below(3));
            let group = if k % (rows / 60) == 0 { (kind / 3).to_string() } else { String::new() };
            format!("k{kind},{group},{mood}")
        })
    };
    assert_eq!(told(&few(120)), [("group", Relation::Function, 60)]);
    assert_eq!(told(&few(1200)), []);
}

/// A wage in two units, and two answers that are cut from it: one of the two goes with the answers, and the other still tells all of them.
#[test]
fn of_a_score_and_its_copy_one_stays() {
    let rows: String = (0..400u32)
        .map(|k| {
            let wage = f64::from(k * 7919 % 400) / 4.0 + 0.25;
            let yes = |is: bool| if is { "yes" } else { "no" };
            format!("{wage},{},{},{}\n", wage * 12.5, yes(wage > 30.0), yes(wage > 60.0))
        })
        .collect();
    let text = format!("wage,yearly,high,higher\n{rows}");
    let twins = crate::data::read(
        crate::Input::csv(text.as_bytes(), "t.csv"),
        &crate::data::DataSettings::default(),
        &crate::Bounds::default(),
    )
    .unwrap()
    .twins;
    let mut out: Vec<&str> = twins.iter().map(|twin| twin.leave_out.as_str()).collect();
    out.sort_unstable();
    out.dedup();
    assert_eq!(out, ["high", "higher", "yearly"], "{twins:?}");
}

use super::*;
use crate::data::{self, Bounds, DataSettings, Input};
use clausality_bn::random::Stream;

fn told(header: &str, lines: &[String]) -> Option<String> {
    told_of(header, lines, None)
}

fn told_of(header: &str, lines: &[String], entity: Option<&str>) -> Option<String> {
    let text = format!("{header}\n{}\n", lines.join("\n"));
    let input = Input::csv(text.as_bytes(), "t.csv");
    let settings = DataSettings { entity: entity.map(String::from), ..DataSettings::default() };
    let found = data::read(input, &settings, &Bounds::default()).unwrap();
    let mut groups = found.notices.into_iter().filter(|notice| notice.kind == NoticeKind::Groups);
    let first = groups.next().map(|notice| {
        let advice = notice.advice.iter().map(|advice| format!("{} '{}'", advice.setting, advice.value));
        format!("{} ({})", notice.message, advice.collect::<Vec<_>>().join(", "))
    });
    assert_eq!(groups.next(), None, "said once");
    first
}

#[test]
fn what_was_said_is_not_asked_for() {
    let mut stream = Stream::new(5, "people");
    let lines = towns(&mut stream);
    let said = told_of("town,year,coast,size,ill", &lines, Some("town")).unwrap();
    assert!(said.contains("if 'year' says when") && said.ends_with("(time 'year')"), "{said}");
    let mut people = Vec::new();
    for person in 0..40 {
        let (sex, age, home) = (stream.below(2), stream.below(6), stream.below(3));
        people.extend((0..4).map(|_| format!("{person},{sex},{age},{home},{}", stream.below(3))));
    }
    let header = "subject,sex,age,home,pain";
    assert!(told(header, &people).unwrap().ends_with("(entity 'subject')"));
    let said = told_of(header, &people, Some("subject")).unwrap();
    let right = "40 groups of 'subject', 4 rows each on average, and 'sex', 'age', 'home' never change within one: where arcs are weighed";
    assert!(said.contains(right) && said.ends_with("than 40 cases make them ()"), "{said}");
}

/// Sixty towns, each asked in ten years.
fn towns(stream: &mut Stream) -> Vec<String> {
    let mut lines = Vec::new();
    for town in 0..60 {
        let (coast, size) = (stream.below(2), stream.below(3));
        lines.extend((0..10).map(|k| format!("t{town},{},{coast},{size},{}", 1990 + k, stream.below(4))));
    }
    lines
}

#[test]
fn groups_of_rows_are_told_with_what_may_say_when() {
    let mut stream = Stream::new(3, "towns");
    let lines = towns(&mut stream);
    let said = told("town,year,coast,size,mood", &lines).unwrap();
    assert!(
        said.starts_with(
            "the rows come in 60 groups of 'town', 10 rows each on average; if 'year' says when"
        ),
        "{said}"
    );
    assert!(said.contains("time 'year', entity 'town'"), "{said}");
    // The years within a town in any order: what never changes is told.
    let mixed: Vec<String> = lines
        .chunks(10)
        .flat_map(|ten| ten.iter().rev().step_by(3).chain(ten.iter().step_by(4)).cloned())
        .collect();
    let said = told("town,year,coast,size,mood", &mixed).unwrap();
    assert!(
        said.contains("60 groups of 'town'") && said.contains("'coast', 'size' never change within one"),
        "{said}"
    );
    // By year, the same rows: the year says when, and the town is what repeats.
    let mut by_year = lines.clone();
    by_year.sort_by_key(|line| line.split(',').nth(1).map(str::to_string));
    let numbered: Vec<String> = by_year.iter().map(|line| line[1..].to_string()).collect();
    let said = told("town,year,coast,size,mood", &numbered).unwrap();
    assert!(said.contains("time 'year', entity 'town'"), "{said}");
}

#[test]
fn series_are_told_in_whatever_order_their_rows_stand() {
    let mut stream = Stream::new(5, "shuffled");
    let mut lines = towns(&mut stream);
    for k in (1..lines.len()).rev() {
        lines.swap(k, stream.below(k as u64 + 1) as usize);
    }
    let said = told("town,year,coast,size,mood", &lines).unwrap();
    assert!(
        said.starts_with(
            "the rows come in 60 groups of 'town', 10 rows each on average; if 'year' says when"
        ),
        "{said}"
    );
    assert!(said.contains("time 'year', entity 'town'"), "{said}");
    // Dates, by time, and a twentieth of the rows lost.
    let mut dated = Vec::new();
    for (k, shop) in (0..24).flat_map(|k| (0..40).map(move |shop| (k, shop))) {
        let (price, sales, kept) = (stream.below(3), stream.below(4), stream.below(20) > 0);
        let when = format!("{}-{:02}-01", 2020 + k / 12, 1 + k % 12);
        dated.extend(kept.then(|| format!("{when},{shop},{price},{sales}")));
    }
    dated.swap(3, 500);
    let said = told("when,shop,price,sales", &dated).unwrap();
    assert!(said.contains("40 groups of 'shop'") && said.contains("time 'when', entity 'shop'"), "{said}");
}

/// Years that were left out, clubs that lasted for a year, and a table whose periods are in order and whose clubs are not.
#[test]
fn series_may_skip_years_and_end_early() {
    let mut stream = Stream::new(7, "clubs");
    let years = [2007, 2009, 2011, 2012, 2013, 2014, 2015, 2016];
    let mut lines = Vec::new();
    let mut early = 0;
    for (k, year) in years.into_iter().enumerate() {
        let mut clubs: Vec<usize> = (0..400).filter(|club| club % 4 > 0 || club / 4 % 8 == k).collect();
        for last in (1..clubs.len()).rev() {
            clubs.swap(last, stream.below(last as u64 + 1) as usize);
        }
        early += clubs.iter().filter(|&&club| club % 4 == 0).count();
        lines.extend(
            clubs
                .into_iter()
                .map(|club| format!("{},{year},{},{}", 9000 + 7 * club, stream.below(3), stream.below(9))),
        );
    }
    assert_eq!(early, 100, "each in one year");
    let said = told("club,year,rank,points", &lines).unwrap();
    assert!(
        said.contains("400 groups of 'club'") && said.ends_with("time 'year', entity 'club', step 'rows')"),
        "{said}"
    );
    // So many that no number comes again for long.
    let many: Vec<String> = (0..8 * 3000usize)
        .map(|k| {
            format!(
                "{},{},{},{}",
                9000 + 7 * (k % 3000 * 1009 % 3000),
                years[k / 3000],
                stream.below(3),
                stream.below(9)
            )
        })
        .collect();
    let said = told("club,year,rank,points", &many).unwrap();
    assert!(
        said.contains("3,000 groups of 'club'") && said.ends_with("time 'year', entity 'club', step 'rows')"),
        "{said}"
    );
    // The same steps, of what nobody calls years.
    assert_eq!(told("club,size,rank,points", &lines), None);
    // Most rows are of clubs with one.
    let mut single: Vec<String> = lines.iter().take(200).cloned().collect();
    single.extend(
        (0..700).map(|k| format!("{},{},{},{}", 20_000 + k, years[k % 8], stream.below(3), stream.below(9))),
    );
    assert_eq!(told("club,year,rank,points", &single), None);
}

/// Ninety patients of whom every third came back: what never changes is told in any order of the rows, and a number that repeats by
/// chance is nobody's.
#[test]
fn those_who_come_back_are_told_though_most_do_not() {
    let mut stream = Stream::new(8, "patients");
    let mut lines = Vec::new();
    for patient in 0..90 {
        let (sex, centre, drug) = (stream.below(2), stream.below(6), stream.below(2));
        for _ in 0..1 + usize::from(patient % 3 == 0) * 2 {
            let (days, mood) = (stream.below(900), stream.below(4));
            lines.push(format!("{patient},{sex},{centre},{drug},{days},{mood}"));
        }
    }
    let said = told("id,sex,centre,drug,days,mood", &lines).unwrap();
    assert!(
        said.starts_with("'id' has 90 values in 150 rows, and where one stands in several 'sex', 'centre', 'drug' never change"),
        "{said}"
    );
    assert!(said.ends_with("(entity 'id')"), "{said}");
    for k in (1..lines.len()).rev() {
        lines.swap(k, stream.below(k as u64 + 1) as usize);
    }
    assert_eq!(told("id,sex,centre,drug,days,mood", &lines), Some(said));
    // By another name three columns are enough, two are not; and without them nothing is said.
    let less: Vec<String> = lines.iter().map(|line| line.replacen(',', ";", 1)).collect();
    let less: Vec<String> = less
        .iter()
        .map(|line| {
            let (who, rest) = line.split_once(';').unwrap();
            let rest: Vec<&str> = rest.split(',').collect();
            format!("{who},{},{},{}", rest[0], rest[1], rest[4])
        })
        .collect();
    assert!(told("id,sex,centre,mood", &less).is_some());
    assert_eq!(told("dose,sex,centre,mood", &less), None);
    assert!(told("dose,sex,centre,drug,days,mood", &lines).is_some());
    let by_chance: Vec<String> = (0..150)
        .map(|_| format!("{},{},{},{}", stream.below(140), stream.below(2), stream.below(6), stream.below(4)))
        .collect();
    assert_eq!(told("id,sex,centre,mood", &by_chance), None);
    assert!(["id", "patient.nr", "CustomerID", "PAT_ID"].into_iter().all(is_whose));
    assert!(!["paid", "idea", "thyroid", "acid"].into_iter().any(is_whose));
}

#[test]
fn years_of_months_are_one_series() {
    let mut stream = Stream::new(7, "months");
    let lines: Vec<String> = (0..240)
        .map(|k| format!("{},{},{},{}", 1990 + k / 12, 1 + k % 12, stream.below(3), stream.below(4)))
        .collect();
    assert_eq!(told("Year,Month,level,mood", &lines), None);
}

#[test]
fn columns_that_never_agree_by_luck_are_no_series() {
    let mut stream = Stream::new(6, "luck");
    // Few rows, many places: hardly two agree, and nothing comes step after step.
    let lines: Vec<String> = (0..400)
        .map(|_| format!("{},{},{}", stream.below(60), stream.below(2000), stream.below(3)))
        .collect();
    assert_eq!(told("place,income,mood", &lines), None);
}

#[test]
fn rows_that_are_merely_sorted_are_no_groups() {
    let mut stream = Stream::new(4, "sorted");
    let mut lines: Vec<String> =
        (0..600).map(|_| format!("{},{},{}", stream.below(40), stream.below(3), stream.below(5))).collect();
    assert_eq!(told("age,class,mood", &lines), None, "in any order");
    lines.sort_by_key(|line| line.split(',').next().and_then(|age| age.parse::<u32>().ok()));
    assert_eq!(told("age,class,mood", &lines), None, "by age");
}

/// A few classes of which the rows were sorted and numbered are nobody's series; so few shops by date are.
#[test]
fn a_handful_of_classes_is_nobody() {
    let mut stream = Stream::new(9, "classes");
    let mut numbered = |classes: usize| -> Vec<String> {
        let rows = (0..classes).flat_map(|class| (1..=60 + 7 * class).map(move |number| (class, number)));
        rows.map(|(class, number)| format!("c{class},{number},{}", stream.below(4))).collect()
    };
    let few = numbered(3);
    assert_eq!(told("Species,Sample Number,mood", &few), None);
    assert!(told("Species,day,mood", &few).unwrap().contains("time 'day', entity 'Species'"));
    let said = told_of("Species,Sample Number,mood", &few, Some("Species")).unwrap();
    assert!(said.ends_with("(time 'Sample Number')"), "{said}");
    assert!(told("place,number,mood", &numbered(12)).unwrap().contains("time 'number', entity 'place'"));
    let shops: Vec<String> = (0..4)
        .flat_map(|shop| (0..40).map(move |k| (shop, k)))
        .map(|(shop, k)| format!("s{shop},{}-{:02}-01,{}", 2020 + k / 12, 1 + k % 12, stream.below(4)))
        .collect();
    assert!(told("shop,when,mood", &shops).unwrap().contains("time 'when', entity 'shop'"));
    let years: Vec<String> = (0..4)
        .flat_map(|shop| (1980..2020).map(move |year| (shop, year)))
        .map(|(shop, year)| format!("s{shop},{year},{}", stream.below(4)))
        .collect();
    assert!(told("shop,when,mood", &years).unwrap().contains("time 'when', entity 'shop'"));
}

/// Surveys that ask others every year number them from one on: the same number is nobody. In a panel that is numbered so it is somebody.
#[test]
fn numbers_that_begin_anew_every_year_are_nobody() {
    let mut stream = Stream::new(10, "surveys");
    let mut survey = |asked: fn(usize) -> usize, is_panel: bool| -> Vec<String> {
        let kept: Vec<(u64, u64)> = (0..500).map(|_| (stream.below(2), stream.below(4000))).collect();
        let mut lines = Vec::new();
        for year in 0..12 {
            // Some did not answer.
            for number in (0..asked(year)).filter(|number| number % 20 < 20 - year % 2) {
                let (sex, income) =
                    if is_panel { kept[number] } else { (stream.below(2), stream.below(4000)) };
                // What changes over the years, and where those who follow each other live, makes nobody the same.
                let (mood, place) = (stream.below(3 + year as u64), number / 50);
                let income = income + stream.below(2000) + 100 * year as u64;
                // Every second one is asked something else.
                let asked = if number % 2 == 0 { "" } else { ["yes", "no"][stream.below(2) as usize] };
                let (when, id) = (2000 + 2 * year, number + 1);
                lines.push(format!("{when},{id},{sex},{income},{mood},{place},{asked}"));
            }
        }
        lines
    };
    let header = "year,id,sex,income,mood,place,view";
    for asked in [|_| 300, |year| 300 + 37 * year % 100] {
        assert_eq!(told(header, &survey(asked, false)), None);
        let panel = survey(asked, true);
        assert!(told(header, &panel).unwrap().contains("time 'year', entity 'id'"));
        let lines: Vec<String> = panel
            .iter()
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                format!("{},{},{},{}", cells[0], cells[1], cells[3], cells[4])
            })
            .collect();
        assert!(told("year,id,income,mood", &lines).is_some(), "only incomes are like those before");
    }
    let mut mixed = survey(|_| 300, false);
    assert!(told_of(header, &mixed, Some("id")).is_some(), "what was said is believed");
    for k in (1..mixed.len()).rev() {
        mixed.swap(k, stream.below(k as u64 + 1) as usize);
    }
    assert!(told(header, &mixed).is_some(), "in any other order a number names somebody");
}
